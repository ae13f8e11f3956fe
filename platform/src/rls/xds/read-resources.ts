import { noLine } from '../config/config-error.ts';
import type { ReadFile } from '../config/tree.ts';
import type { Source } from '../config/yaml-source.mjs';
import { plainOf, type ConfigMessage, type Plain, type Scalar } from './config-message.ts';
import { configTypeUrl, type Resource } from './protocol.ts';

export type ReadMessage = (bytes: Buffer) => ConfigMessage;

const resourcesMax = 10_000;

/** Resources as if they were files: what follows is the same for both. */
export function readResources(resources: readonly Resource[], read: ReadMessage): ReadFile[] {
  if (resources.length > resourcesMax) {
    return [refused('resources', `there are more than ${resourcesMax}`)];
  }
  return resources.map((resource, at) => readOne(resource, `resource ${at + 1}`, read));
}

function readOne({ type_url, value }: Resource, place: string, read: ReadMessage): ReadFile {
  if (type_url !== configTypeUrl) return refused(place, `it is no ${configTypeUrl}`);
  try {
    const message = read(value ?? Buffer.alloc(0));
    return { name: nameOf(message, place), read: { source: sourceOf(plainOf(message)) } };
  } catch (error) {
    return refused(place, error instanceof Error ? error.message : String(error));
  }
}

function refused(name: string, why: string): ReadFile {
  return { name, read: { problem: `error loading config file: ${why}`, line: noLine } };
}

/** Problems begin with it, and stand in a line of the log. */
function nameOf({ name = '' }: ConfigMessage, place: string): string {
  return /^[\x21-\x7e]{1,128}$/.test(name) ? name : place;
}

function sourceOf(value: Plain): Source {
  if (isList(value)) return { kind: 'list', line: noLine, items: value.map(sourceOf) };
  if (typeof value !== 'object' || value === null) return scalarOf(value);
  const fields = Object.entries(value).map(([name, said]) => ({
    key: scalarOf(name),
    value: sourceOf(said),
  }));
  return { kind: 'map', line: noLine, fields };
}

function isList(value: Plain): value is readonly Plain[] {
  return Array.isArray(value);
}

function scalarOf(value: Scalar): Source {
  return { kind: 'scalar', line: noLine, value, text: value === null ? '' : String(value) };
}
