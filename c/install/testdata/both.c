// Calls libcalliope and another archive in Go, each on two threads, in one program.

#include <calliope.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int secondSum(int n);
char* secondPanic(void);

static calliope_status nothing(void* user_data, calliope_call* call) {
  (void)user_data, (void)call;
  return CALLIOPE_OK;
}

static void* calliope(void* none) {
  for (int i = 0; i < 200; i++) {
    int64_t id;
    char* json;
    if (calliope_register_id(nothing, NULL, NULL, &id) != CALLIOPE_OK || calliope_stats(&json) != CALLIOPE_OK ||
        calliope_free(json) != CALLIOPE_OK || calliope_unregister_id(NULL, id) != CALLIOPE_OK) {
      printf("%s\n", calliope_error_message());
    }
  }
  return none;
}

static void* second(void* none) {
  for (int i = 0; i < 20; i++) {
    if (secondSum(20) != 190) printf("the sum is wrong\n");
  }
  return none;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, i % 2 == 0 ? calliope : second, NULL);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  printf("%s\n", secondPanic());
  calliope_status status = calliope_unregister(NULL, "nobody");
  printf("%d: %s\n", status, calliope_error_message());
}
