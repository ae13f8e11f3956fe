/** Which methods a path is known by, so that a wrong one is told the right ones. */
export class KnownPaths {
  readonly #routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();

  /** As routes are added. A route for everything says nothing about a path. */
  add(url: string, methods: string | readonly string[]): void {
    if (url === '*' || url === '/*') return;
    const route = this.#routes.get(url) ?? { pattern: toPattern(url), methods: new Set() };
    for (const method of [methods].flat()) route.methods.add(method);
    this.#routes.set(url, route);
  }

  methodsOf(url: string): readonly string[] {
    const [path = ''] = url.split('?', 1);
    const routes = [...this.#routes.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(routes.flatMap(({ methods }) => [...methods]))].toSorted();
  }
}

function toPattern(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? '[^/]+' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}$`);
}
