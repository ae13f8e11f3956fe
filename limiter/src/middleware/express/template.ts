import type { Request } from 'express';

/** What is used of Express' own layers, which its types leave out. The same in 4 and 5. */
type Layer = {
  readonly name: string;
  readonly route?: Route | undefined;
  readonly handle: { readonly stack?: readonly Layer[] };
  path: string | undefined;
  params: Readonly<Record<string, unknown>> | undefined;
  match(path: string): boolean;
};
type RoutePath = string | RegExp | readonly (string | RegExp)[];
type Route = { readonly path: RoutePath; readonly methods: Readonly<Record<string, boolean>> };
type App = {
  readonly parent?: App;
  readonly mountpath: string | readonly string[];
  /** Express 5, and 4. */
  readonly router?: { readonly stack?: readonly Layer[] };
  readonly _router?: { readonly stack?: readonly Layer[] };
};

/** What is looked for: a route that is known already, or the first that answers the method. */
type Wanted = { readonly method: string; readonly route: Route | undefined };

/**
 * The template of the route that will answer a request, such as `/orders/:id`; null when none will.
 * Middleware of an application runs before a route is chosen, so this looks where Express will: at
 * its layers, in their order, through nested routers.
 */
export function templateOf(req: Request): string | null {
  const app = req.app as unknown as App;
  const [path = '/'] = req.originalUrl.split('?', 1);
  const mounted = mountedAt(app);
  const wanted = { method: req.method, route: req.route as Route | undefined };
  const below = withoutSegments(path, segmentsOf(mounted).length);
  const found = search(stackOf(app), below, wanted);
  if (found !== null) return joined(mounted, found);
  return wanted.route ? joined(mounted, textOf(wanted.route.path)) : null;
}

/** Express 4 throws at a look at `router`, which was something else in 3. */
function stackOf(app: App): readonly Layer[] {
  return (app['_router'] ?? app.router)?.stack ?? [];
}

/** Where an application is mounted in others, as it was written. */
function mountedAt({ parent, mountpath }: App): string {
  if (!parent) return '';
  const [own = ''] = [mountpath].flat();
  return joined(mountedAt(parent), own);
}

function search(stack: readonly Layer[], path: string, wanted: Wanted): string | null {
  for (const layer of stack) {
    const { path: before, params } = layer;
    try {
      const found = layer.match(path) ? inLayer(layer, path, wanted) : null;
      if (found !== null) return found;
    } catch {
      // A path that can't be decoded is nobody's.
      return null;
    } finally {
      // Express keeps its own last match there.
      layer.path = before;
      layer.params = params;
    }
  }
  return null;
}

function inLayer(layer: Layer, path: string, wanted: Wanted): string | null {
  const { route, handle } = layer;
  if (route) return answers(route, wanted) ? textOf(route.path) : null;
  const matched = layer.path ?? '';
  const mount = mountTemplate(matched, layer.params ?? {});
  // An application in this one shows nothing of its routes to its parent.
  if (layer.name === 'mounted_app') return `${mount}/*`;
  if (!Array.isArray(handle.stack)) return null;
  const rest = path.slice(matched.length);
  const below = search(handle.stack, rest.startsWith('/') ? rest : `/${rest}`, wanted);
  return below === null ? null : joined(mount, below);
}

function answers(route: Route, wanted: Wanted): boolean {
  if (wanted.route) return route === wanted.route;
  const method = wanted.method.toLowerCase();
  const { methods } = route;
  return Boolean(methods['_all'] ?? methods[method] ?? (method === 'head' && methods['get']));
}

/**
 * A router's layer does not keep what it was mounted at, only what it matched. What callers may vary
 * in that are parameters, whose values are known, and the case of letters.
 */
function mountTemplate(matched: string, params: Readonly<Record<string, unknown>>): string {
  const named = new Map(Object.entries(params).map(([name, value]) => [String(value), name]));
  return segmentsOf(matched)
    .map((segment) => {
      const name = named.get(decodeURIComponent(segment));
      return name === undefined ? `/${segment.toLowerCase()}` : `/:${name}`;
    })
    .join('');
}

function textOf(path: RoutePath): string {
  return Array.isArray(path) ? path.map(String).join('|') : String(path);
}

function joined(prefix: string, path: string): string {
  if (prefix === '' || prefix === '/') return path;
  return path === '/' ? prefix : `${prefix}${path}`;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function withoutSegments(path: string, count: number): string {
  if (count === 0) return path;
  return `/${segmentsOf(path).slice(count).join('/')}`;
}
