// A small shop on NestJS: every user has 100 requests a minute, a search costs five of them, and a
// user may have two exports open at a time. Try it:
//
//   npx tsx --tsconfig examples/nest/tsconfig.json examples/nest/main.ts
//   curl -i localhost:3000/orders -H 'authorization: Bearer ann'

// Classes are all that Nest knows, also where there is nothing to put into one.
// oxlint-disable typescript/no-extraneous-class
// oxlint-disable-next-line import/no-unassigned-import -- Nest's own decorators need it.
import 'reflect-metadata';
import { Controller, Get, Module, UnauthorizedException } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { concurrency, slidingWindowCounter } from 'sluice';
import { RateLimit, RateLimitInfo, RateLimitModule, SkipRateLimit } from 'sluice/nest';
import type { RateLimitContext } from 'sluice/nest';

const userOf = (context: ExecutionContext): string | undefined => {
  const { headers } = context.switchToHttp().getRequest<{ headers: { authorization?: string } }>();
  return headers.authorization?.replace('Bearer ', '');
};

@Controller()
class Shop {
  @Get('health')
  @SkipRateLimit()
  health() {
    return 'ok';
  }

  @Get('orders')
  orders(@RateLimitInfo() info: RateLimitContext) {
    return { left: info.decision.remaining };
  }

  @Get('search')
  @RateLimit({ cost: 5 })
  search() {
    return { found: [] };
  }

  @Get('export')
  @RateLimit({ limits: [concurrency({ name: 'exports', maxConcurrent: 2, staleAfter: '30 s' })] })
  export() {
    return sleep(500, 'id,total\n');
  }
}

/** Who calls. Here a token is its user's name; yours looks it up. */
class Authentication implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (userOf(context) || context.getHandler().name === 'health') return true;
    throw new UnauthorizedException('authorization: Bearer <name>');
  }
}

const limits = RateLimitModule.forRoot({
  limits: [slidingWindowCounter({ name: 'per-minute', limit: 100, window: '1 min' })],
  by: { user: userOf },
});

// Guards run in the order of their modules: who calls is known before it is counted.
@Module({ providers: [{ provide: APP_GUARD, useClass: Authentication }] })
class Before {}

@Module({ imports: [Before, limits], controllers: [Shop] })
class App {}

const app = await NestFactory.create(App, { logger: ['error'], forceCloseConnections: true });
await app.listen(Number(process.env['PORT'] ?? 3000));
console.log('listening on', app.getHttpServer().address());
