// The search: it loads the index when somebody first uses it, and works without a server.
'use strict';
{
  const input = document.getElementById('search'), found = document.getElementById('found');
  const root = new URL('.', document.currentScript.src); // of the site
  let loading;

  const load = () => loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = new URL('search-index.js', root);
    script.onload = () => resolve(searchIndex);
    script.onerror = () => reject(new Error('The index of the search cannot be loaded.'));
    document.head.append(script);
  });

  // A page matches if it has each word. Words in the title count most, then those in headings.
  const score = (page, words) => {
    const title = page.title.toLowerCase(), text = page.text.toLowerCase();
    const headings = page.headings.map(h => h.title.toLowerCase());
    let sum = 0;
    for (const word of words) {
      const times = Math.min(text.split(word).length - 1, 20);
      const points = (title.includes(word) ? 100 : 0) + (headings.some(h => h.includes(word)) ? 30 : 0) + times;
      if (points === 0) return 0;
      sum += points;
    }
    return sum;
  };

  // The text around the first word, with the words marked.
  const excerpt = (text, words) => {
    const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 50);
    const p = document.createElement('p');
    const pattern = new RegExp('(' + words.map(w => w.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|') + ')', 'gi');
    text.slice(at, at + 180).split(pattern).forEach((part, i) => {
      if (i % 2 === 0) return p.append(part);
      p.appendChild(document.createElement('mark')).textContent = part;
    });
    return p;
  };

  const link = (page, heading) => {
    const a = document.createElement('a');
    a.href = new URL(page.url + (heading ? '#' + heading.id : ''), root);
    a.textContent = heading ? heading.title : page.title;
    return a;
  };

  const show = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(w => w.length > 1);
    found.hidden = words.length === 0;
    if (found.hidden) return;
    try {
      const pages = (await load()).map(page => ({page, points: score(page, words)}))
        .filter(p => p.points > 0).sort((a, b) => b.points - a.points).slice(0, 12);
      found.replaceChildren(...pages.map(({page}) => {
        const item = document.createElement('div');
        item.append(link(page));
        const headings = page.headings.filter(h => words.every(w => h.title.toLowerCase().includes(w)) && h.title !== page.title);
        headings.slice(0, 3).forEach(h => item.append(' › ', link(page, h)));
        item.append(excerpt(page.text, words));
        return item;
      }));
      if (pages.length === 0) found.textContent = 'No page has these words.';
    } catch (e) {
      found.textContent = e.message;
    }
  };

  input.addEventListener('input', show);
  input.addEventListener('focus', show);
  document.addEventListener('keydown', e => {
    if (e.key === 'Escape') found.hidden = true;
    if (e.key === '/' && document.activeElement !== input) { e.preventDefault(); input.focus(); }
  });
  document.addEventListener('click', e => { if (!e.target.closest('search')) found.hidden = true; });
}
