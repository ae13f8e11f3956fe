import type { Context } from 'koa';

/** What is used of `@koa/router`, found by what it leaves on its middleware. */
type Router = {
  match(
    path: string,
    method: string,
  ): { readonly route: boolean; readonly pathAndMethod: readonly Layer[] };
};
type Layer = { readonly path: string | RegExp; readonly methods: readonly string[] };
type Dispatch = { readonly router?: Router };

/**
 * The template of the route that will answer; null when none will. Middleware of an application runs
 * before its routers do, so this asks them, in their order, what they would do.
 */
export function templateOf(ctx: Context): string | null {
  const { _matchedRoute: matched } = ctx as { _matchedRoute?: string | RegExp };
  for (const { router } of ctx.app.middleware as readonly Dispatch[]) {
    const found = router?.match?.(ctx.path, ctx.method);
    if (!found?.route) continue;
    // Layers without methods are middleware; the last route is the most specific.
    const layer = found.pathAndMethod.findLast(({ methods }) => methods.length > 0);
    if (layer) return String(layer.path);
  }
  return matched === undefined ? null : String(matched);
}
