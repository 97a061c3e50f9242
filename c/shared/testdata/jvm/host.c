// What Host.java calls.

#include <jni.h>

#include "../fake.h"

static JavaVM* vm;
static jclass host;
static jmethodID method;

static calliope_status twice(void* user_data, calliope_call* call) {
  (void)user_data;
  JNIEnv* env = NULL;
  int attached = (*vm)->GetEnv(vm, (void**)&env, JNI_VERSION_1_8) == JNI_EDETACHED;
  if (attached && (*vm)->AttachCurrentThreadAsDaemon(vm, (void**)&env, NULL) != JNI_OK) return CALLIOPE_INTERNAL;
  float y = (*env)->CallStaticFloatMethod(env, host, method, *(float*)call->args[0].data);
  calliope_status status = CALLIOPE_OK;
  if ((*env)->ExceptionCheck(env)) {
    (*env)->ExceptionClear(env);
    calliope_fail(call, "an exception", 12);
    status = CALLIOPE_INTERNAL;
  } else {
    *(float*)call->results[0].data = y;
  }
  if (attached) (*vm)->DetachCurrentThread(vm);
  return status;
}

JNIEXPORT void JNICALL Java_Host_open(JNIEnv* env, jclass class) {
  (*env)->GetJavaVM(env, &vm);
  host = (*env)->NewGlobalRef(env, class);
  method = (*env)->GetStaticMethodID(env, class, "twice", "(F)F");
  fake_open(5);
}

JNIEXPORT jint JNICALL Java_Host_register(JNIEnv* env, jclass class, jstring name, jint dispatch) {
  (void)class;
  const char* text = (*env)->GetStringUTFChars(env, name, NULL);
  calliope_options o = {.struct_size = sizeof o, .dispatch = dispatch};
  calliope_status status = calliope_register(text, twice, NULL, &o);
  (*env)->ReleaseStringUTFChars(env, name, text);
  return status;
}

JNIEXPORT jfloat JNICALL Java_Host_call(JNIEnv* env, jclass class, jstring name, jfloat x) {
  (void)class;
  const char* text = (*env)->GetStringUTFChars(env, name, NULL);
  fake_site site;
  char* error = fake_bind(&site, CALLIOPE_FORM_CALL, text);
  (*env)->ReleaseStringUTFChars(env, name, text);
  if (error != NULL) abort();
  float y = 0;
  error = fake_call(&site, 1, &x, &y, 1);
  if (error != NULL) y = strstr(error, "an exception") != NULL ? -1 : -2;
  free(error);
  fake_free(&site);
  return y;
}

JNIEXPORT jint JNICALL Java_Host_unregister(JNIEnv* env, jclass class, jstring name) {
  (void)class;
  const char* text = (*env)->GetStringUTFChars(env, name, NULL);
  calliope_status status = calliope_unregister(NULL, text);
  (*env)->ReleaseStringUTFChars(env, name, text);
  return status;
}
