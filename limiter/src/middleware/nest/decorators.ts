import { createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { rateLimitOf, type RouteRules } from '../core/index.ts';

const rulesKey = 'sluice:rules';

type Rules = RouteRules<ExecutionContext> | false;
type Decorated = NonNullable<ReturnType<ExecutionContext['getHandler']>>;

/** What a route, or all routes of a controller, need besides: `@RateLimit({ cost: 5 })`. */
export function RateLimit(rules: RouteRules<ExecutionContext>): MethodDecorator & ClassDecorator {
  return SetMetadata(rulesKey, rules);
}

/** Not limited. */
export function SkipRateLimit(): MethodDecorator & ClassDecorator {
  return SetMetadata(rulesKey, false);
}

/** What was decided about the request, as a parameter of the handler: `@RateLimitInfo() info`. */
export const RateLimitInfo: () => ParameterDecorator = createParamDecorator(
  (_data: unknown, context: ExecutionContext) =>
    rateLimitOf(context.switchToHttp().getRequest<object>()),
);

/** The handler's own before those of its controller. */
export function rulesOf(context: ExecutionContext): Rules | undefined {
  const handler = metadataOf(context.getHandler());
  const controller = metadataOf(context.getClass());
  if (handler === undefined || controller === undefined) return handler ?? controller;
  return handler === false || controller === false ? handler : { ...controller, ...handler };
}

function metadataOf(target: Decorated | undefined): Rules | undefined {
  // Nest itself brings `reflect-metadata`, and keeps what `SetMetadata` was given there.
  const metadata = Reflect as unknown as {
    getMetadata(key: string, target: object): Rules | undefined;
  };
  return target ? metadata.getMetadata(rulesKey, target) : undefined;
}
