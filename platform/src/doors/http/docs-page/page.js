import { codeBlock, el, prose } from './dom.js';
import { constraintsOf, curlOf, exampleOf, objectIn, resolve, typeOf } from './schema.js';

const methods = ['get', 'put', 'post', 'patch', 'delete'];
const nestingMax = 5;
const base = new URL('.', document.baseURI);

chooseTheme();
await show();

async function show() {
  const status = document.querySelector('#status');
  try {
    const answer = await fetch('openapi.json');
    if (!answer.ok) throw new Error(`The reference answered ${answer.status}.`);
    render(await answer.json());
    status.remove();
  } catch (error) {
    status.textContent = `${error.message} Reload to try again.`;
  }
}

function render(openApi) {
  const groups = groupsOf(openApi);
  document.querySelector('#version').textContent = openApi.info.version;
  document.querySelector('#list').append(...groups.map(menuOf));
  document
    .querySelector('#content')
    .append(
      introOf(openApi),
      ...groups.map((group) => sectionOf(group, openApi)),
      el('p', { id: 'nothing', hidden: true }, 'Nothing here is called that.'),
    );
  enableSearch(groups);
  // The browser looked for the place before it was there.
  if (location.hash.length > 1) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  if (matchMedia('(max-width: 52rem)').matches) document.querySelector('#menu').open = false;
}

/** By tag, in the document's order. */
function groupsOf(openApi) {
  const operations = Object.entries(openApi.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .map((method) => ({ ...item[method], path, method, id: idOf(method, path) })),
  );
  const tags = openApi.tags ?? [];
  const named = tags.map((tag) => tag.name);
  const tagOf = ({ tags: [tag] = [] }) => (named.includes(tag) ? tag : 'Other');
  return [...tags, { name: 'Other' }]
    .map(({ name, description }) => ({
      name,
      description,
      operations: operations.filter((operation) => tagOf(operation) === name),
    }))
    .filter((group) => group.operations.length > 0);
}

function idOf(method, path) {
  return `${method}-${path.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')}`;
}

function menuOf({ name, operations }) {
  return el(
    'section',
    { class: 'menu-group' },
    el('h2', {}, name),
    el(
      'ul',
      {},
      operations.map(({ id, method, path, summary }) =>
        el(
          'li',
          { 'data-for': id },
          el(
            'a',
            { href: `docs#${id}`, title: summary },
            badge(method),
            el('span', {}, breakable(path)),
          ),
        ),
      ),
    ),
  );
}

function introOf({ info, components }) {
  const schemes = Object.entries(components?.securitySchemes ?? {});
  return el(
    'section',
    { class: 'intro' },
    el('h1', {}, `${info.title} API`),
    el('p', {}, prose(info.description)),
    el(
      'dl',
      { class: 'facts' },
      el(
        'div',
        {},
        el('dt', {}, 'Address'),
        el('dd', {}, el('code', {}, base.href.replace(/\/$/, ''))),
      ),
      schemes.map(([, scheme]) =>
        el(
          'div',
          {},
          el('dt', {}, el('code', {}, scheme.name ?? 'authorization: Bearer')),
          el('dd', {}, prose(scheme.description)),
        ),
      ),
      el(
        'div',
        {},
        el('dt', {}, 'Document'),
        el('dd', {}, el('a', { href: 'openapi.json' }, 'openapi.json'), ' (OpenAPI 3.1)'),
      ),
    ),
  );
}

function sectionOf({ name, description, operations }, openApi) {
  return el(
    'section',
    { class: 'group', 'aria-label': name },
    el('h2', {}, name),
    description ? el('p', { class: 'lead' }, prose(description)) : null,
    operations.map((operation) => operationOf(operation, openApi)),
  );
}

function operationOf(operation, openApi) {
  const { id, method, path, summary, description, parameters = [], responses = {} } = operation;
  const body = operation.requestBody?.content?.['application/json']?.schema;
  return el(
    'article',
    { id, class: 'operation', tabindex: -1 },
    el(
      'div',
      { class: 'told' },
      el('h3', {}, badge(method), el('code', {}, breakable(path)), linkTo(id, summary ?? path)),
      summary ? el('p', { class: 'summary' }, prose(summary)) : null,
      description ? el('p', {}, prose(description)) : null,
      parameters.length > 0 ? part('Parameters', parametersOf(parameters, openApi)) : null,
      body ? part('Body', schemaOf(body, openApi)) : null,
      part(
        'Answers',
        el('div', { class: 'answers' }, Object.entries(responses).map(answerOf(openApi))),
      ),
    ),
    el('div', { class: 'shown' }, examplesOf(operation, body, openApi)),
  );
}

function linkTo(id, label) {
  return el('a', { class: 'anchor', href: `docs#${id}`, 'aria-label': `Link to ${label}` }, '#');
}

function part(title, content) {
  return el('section', { class: 'part' }, el('h4', {}, title), content);
}

function parametersOf(parameters, openApi) {
  return el(
    'ul',
    { class: 'fields' },
    parameters.map(({ name, in: place, required, schema = {}, description }) =>
      fieldOf({ name, required, note: place, schema: { description, ...schema } }, openApi, 0),
    ),
  );
}

/** The fields of an object, or in a word what it is. */
function schemaOf(given, openApi, depth = 0) {
  const object = objectIn(given, openApi);
  const { name, schema } = resolve(given, openApi);
  const type = typeOf(given, openApi);
  const head = el(
    'p',
    { class: 'type-line' },
    el('code', {}, name ?? type),
    schema.description ? [' ', prose(schema.description)] : null,
  );
  if (!object) return head;
  const required = object.required ?? [];
  return el(
    'div',
    {},
    type === 'object' ? null : head,
    el(
      'ul',
      { class: 'fields' },
      Object.entries(object.properties).map(([field, value]) =>
        fieldOf({ name: field, required: required.includes(field), schema: value }, openApi, depth),
      ),
    ),
  );
}

function fieldOf({ name, required, note, schema: given }, openApi, depth) {
  const { schema } = resolve(given, openApi);
  const inner = depth < nestingMax ? objectIn(given, openApi) : null;
  const limits = constraintsOf(schema);
  return el(
    'li',
    {},
    el(
      'div',
      { class: 'field' },
      el('code', { class: 'name' }, name),
      el('span', { class: 'type' }, typeOf(given, openApi)),
      note ? el('span', { class: 'note' }, note) : null,
      required ? el('span', { class: 'required' }, 'required') : null,
    ),
    given.description || schema.description
      ? el('p', {}, prose(given.description ?? schema.description))
      : null,
    limits.length > 0 ? el('p', { class: 'limits' }, limits.join(' · ')) : null,
    inner
      ? el(
          'details',
          {},
          el('summary', {}, `Fields of ${name}`),
          schemaOf(inner, openApi, depth + 1),
        )
      : null,
  );
}

function answerOf(openApi) {
  return ([status, { description, content = {} }]) => {
    const [media] = Object.entries(content);
    const told = description === 'Default Response' ? '' : description;
    const head = [
      el('code', { class: `status s${status[0]}` }, status),
      el('span', {}, media ? typeOf(media[1].schema ?? {}, openApi) : 'no body'),
      told ? el('span', { class: 'note' }, told) : null,
    ];
    if (!media || !objectIn(media[1].schema, openApi)) return el('div', { class: 'answer' }, head);
    return el(
      'details',
      { class: 'answer' },
      el('summary', {}, head),
      schemaOf(media[1].schema, openApi),
    );
  };
}

function examplesOf({ method, path, security, responses = {} }, body, openApi) {
  const sent = body ? exampleOf(body, openApi) : undefined;
  const [scheme = null] = Object.keys(security?.[0] ?? {});
  const url = base.href.replace(/\/$/, '') + path;
  const call = codeBlock('curl', curlOf({ method, url, scheme, body: sent }));
  const [answered] = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const [media] = Object.values(answered?.[1].content ?? {});
  if (!media?.schema || !objectIn(media.schema, openApi)) return [call];
  const example = JSON.stringify(exampleOf(media.schema, openApi), null, 2);
  return [call, codeBlock(`${answered[0]} ${typeOf(media.schema, openApi)}`, example)];
}

function badge(method) {
  return el('span', { class: `method ${method}` }, method.toUpperCase());
}

/** Long paths may break after a slash. */
function breakable(path) {
  return path.split('/').flatMap((part, at) => (at === 0 ? [part] : ['/', el('wbr'), part]));
}

function enableSearch(groups) {
  const input = document.querySelector('#search');
  const nothing = document.querySelector('#nothing');
  const texts = new Map(
    groups.flatMap(({ name, operations }) =>
      operations.map((operation) => {
        const { method, path, summary = '', description = '', id } = operation;
        return [id, `${name} ${method} ${path} ${summary} ${description}`.toLowerCase()];
      }),
    ),
  );
  const search = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const [id, text] of texts) {
      const hidden = !words.every((word) => text.includes(word));
      document.getElementById(id).hidden = hidden;
      document.querySelector(`[data-for="${id}"]`).hidden = hidden;
      if (!hidden) found += 1;
    }
    for (const group of document.querySelectorAll('.group, .menu-group')) {
      group.hidden = !group.querySelector('.operation:not([hidden]), li[data-for]:not([hidden])');
    }
    document.querySelector('.intro').hidden = words.length > 0;
    nothing.hidden = found > 0;
  };
  input.addEventListener('input', search);
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      input.focus();
    } else if (event.key === 'Escape' && event.target === input) {
      input.value = '';
      search();
    }
  });
}

/** As the system is, until the reader says otherwise. */
function chooseTheme() {
  const root = document.documentElement;
  const kept = read();
  if (kept) root.dataset.theme = kept;
  document.querySelector('#theme').addEventListener('click', () => {
    const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    root.dataset.theme = (root.dataset.theme ?? system) === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem('sluice-theme', root.dataset.theme);
    } catch {
      // It is chosen for this visit only.
    }
  });

  function read() {
    try {
      return localStorage.getItem('sluice-theme');
    } catch {
      return null;
    }
  }
}
