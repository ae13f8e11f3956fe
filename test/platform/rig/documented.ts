import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer } from './client.ts';

export type OpenApi = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

type Operation = { readonly responses: Readonly<Record<string, Response>> };
type Response = { readonly content?: Readonly<Record<string, object>> };

type Heard = Pick<Answer, 'status' | 'headers' | 'text'>;

type Said = {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly type: string;
  readonly text: string;
};

/** Hears what nodes answer, and holds it against what they document. */
export class Documented {
  readonly #said: Said[] = [];

  readonly watch = (method: string, path: string, answer: Heard): void => {
    const { status, headers, text } = answer;
    const [type = ''] = (headers.get('content-type') ?? '').split(';');
    this.#said.push({ method, path, status, type, text });
  };

  /** `GET /v1/ready 200` and the like, of all that was heard. */
  pairs(document: OpenApi): Set<string> {
    const known = this.#said.flatMap((said) => {
      const route = routeOf(document, said);
      return route === null ? [] : [pairOf(said.method, route, said.status)];
    });
    return new Set(known);
  }

  /** What was answered and is documented otherwise, or not at all. */
  problems(document: OpenApi): string[] {
    const ajv = new Ajv2020.default({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(document, 'document');
    const problems = this.#said.map((said) => problemOf(said, document, ajv));
    return [...new Set(problems.filter((problem) => problem !== null))];
  }
}

/** All that a document promises. */
export function promisedPairs({ paths }: OpenApi): Set<string> {
  const pairs = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.keys(responses).map((status) => pairOf(method, path, Number(status))),
    ),
  );
  return new Set(pairs);
}

function pairOf(method: string, route: string, status: number): string {
  return `${method.toUpperCase()} ${route} ${status}`;
}

function routeOf({ paths }: OpenApi, { method, path }: Said): string | null {
  const [bare = ''] = path.split('?', 1);
  const routes = Object.keys(paths).filter((route) =>
    new RegExp(`^${route.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(bare),
  );
  // One that is spelt out is meant rather than one that takes any id.
  const exactFirst = routes.toSorted((a, b) => Number(b === bare) - Number(a === bare));
  return exactFirst.find((route) => paths[route]?.[method.toLowerCase()]) ?? null;
}

function problemOf(said: Said, document: OpenApi, ajv: InstanceType<typeof Ajv2020.default>) {
  const route = routeOf(document, said);
  // Pages, and what is no route at all: neither is in the document.
  if (route === null) return null;
  const pair = pairOf(said.method, route, said.status);
  const response = document.paths[route]?.[said.method.toLowerCase()]?.responses[said.status];
  if (!response) return `${pair} is not documented: ${said.text.slice(0, 300)}`;
  if (!response.content?.[said.type]) return `${pair} is not documented as ${said.type}`;
  if (!said.type.includes('json')) return null;
  const steps = ['paths', route, said.method.toLowerCase(), 'responses', String(said.status)];
  const pointer = [...steps, 'content', said.type, 'schema'].map(escaped).join('/');
  const validate = ajv.getSchema(`document#/${pointer}`);
  if (!validate) return `${pair} has no schema`;
  if (validate(JSON.parse(said.text)) === true) return null;
  return `${pair}: ${ajv.errorsText(validate.errors ?? null)}`;
}

function escaped(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}
