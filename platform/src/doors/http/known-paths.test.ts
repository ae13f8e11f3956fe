import { expect, it } from 'vitest';
import { KnownPaths } from './known-paths.ts';

const paths = new KnownPaths();
paths.add('/v1/check', 'POST');
paths.add('/v1/plans', 'GET');
paths.add('/v1/plans', ['POST', 'HEAD']);
paths.add('/v1/plans/:id', 'DELETE');
paths.add('/v1/plans/shared', 'PATCH');
paths.add('/v1/gate/*', 'GET');
paths.add('/docs/page.js', 'GET');
paths.add('/*', 'GET');

it.each([
  ['/v1/check', ['POST']],
  ['/v1/check?a=b', ['POST']],
  ['/v1/plans', ['GET', 'HEAD', 'POST']],
  ['/v1/plans/7', ['DELETE']],
  ['/v1/plans/shared', ['DELETE', 'PATCH']],
  ['/v1/gate/a/b', ['GET']],
  ['/v1/plans/7/8', []],
  ['/v1/checks', []],
  ['/docs/pageXjs', []],
  ['/', []],
])('%s is known by %j', (url, methods) => expect(paths.methodsOf(url)).toEqual(methods));
