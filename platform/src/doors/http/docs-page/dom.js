/** Elements by name; text is only ever set as text, so nothing in the document can become markup. */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined),
  );
  return element;
}

/** Text in which `backticks` mark code. */
export function prose(text = '') {
  return text
    .split('`')
    .map((part, at) => (at % 2 === 1 ? el('code', {}, part) : document.createTextNode(part)));
}

/** A block of code with a button that copies it. */
export function codeBlock(label, text) {
  const button = el('button', { type: 'button', class: 'copy' }, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      // Without the right to, select it: one key away from copied.
      getSelection()?.selectAllChildren(code);
      button.textContent = 'Selected';
    }
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  });
  button.setAttribute('aria-label', `Copy: ${label}`);
  const code = el('code', {}, text);
  return el(
    'figure',
    { class: 'code' },
    el('figcaption', {}, label, button),
    el('pre', { tabindex: 0, 'aria-label': label }, code),
  );
}
