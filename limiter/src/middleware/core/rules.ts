import { inOnePiece } from '../../core/in-one-piece.ts';
import { RecentPairs } from '../../core/recent-pairs.ts';
import type { Facts } from './facts.ts';
import { unmatchedResource, type RateLimitOptions, type RouteRules } from './options.ts';

/** A text that was seen before is known at a glance, where one put together anew is compared by its letters. */
const resources = new RecentPairs<string>(1000);

/** What is called: the method and the route's template, never the path that a caller may invent. */
export function resourceOf<Native>(facts: Pick<Facts<Native>, 'method' | 'route'>): string {
  const { method } = facts;
  const template = facts.route();
  if (template === null) return unmatchedResource;
  // What answers HEAD is what answers GET: asked either way, it counts as one.
  const verb = method === 'HEAD' ? 'GET' : method;
  const known = resources.get(verb, template);
  if (known !== undefined) return known;
  const made = inOnePiece(`${verb}:${template}`);
  resources.set(verb, template, made);
  return made;
}

/** The rules of a call: the route's own before those of the table before those for all. */
export function rulesFor<Native>(
  options: RateLimitOptions<Native>,
  resource: string,
  own: RouteRules<Native> | false | undefined,
): RouteRules<Native> | false {
  const { routes } = options;
  const tabled = routes && Object.hasOwn(routes, resource) ? routes[resource] : undefined;
  if (own === false || (own === undefined && tabled === false)) return false;
  if (!own && !tabled) return options;
  return { ...options, ...tabled, ...own };
}
