import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RlsConfigError } from './config-error.ts';

/** A file as it is. */
export type ConfigFile = { readonly name: string; readonly text: string };

export const fileBytesMax = 1_048_576;
const filesMax = 1000;

/**
 * The YAML files of a folder by name, links followed. What begins with a dot is not meant: a mounted
 * ConfigMap keeps its versions there.
 */
export async function readFolder(folder: string): Promise<ConfigFile[]> {
  const names = (await readdir(folder))
    .filter((name) => !name.startsWith('.') && /\.ya?ml$/i.test(name))
    .toSorted();
  if (names.length > filesMax) {
    throw new RlsConfigError({ file: folder, line: 1 }, `there are more than ${filesMax} files`);
  }
  const files: ConfigFile[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const found = await stat(path);
    if (!found.isFile()) continue;
    if (found.size > fileBytesMax) {
      throw new RlsConfigError({ file: name, line: 1 }, `is larger than ${fileBytesMax} bytes`);
    }
    files.push({ name, text: await readFile(path, 'utf8') });
  }
  return files;
}
