import { watch, type FSWatcher } from 'node:fs';
import { CurrentConfig, type ConfigSource, type ConfigWatch } from './current-config.ts';
import { readFolder, type ConfigFile } from './folder.ts';
import { readTexts } from './read-texts.ts';
import type { ReadFile, RlsConfig, TreeOptions } from './tree.ts';
import type { SourceRead } from './yaml-source.mjs';

export type FolderConfigOptions = TreeOptions &
  ConfigWatch & {
    readonly folder: string;
    /** Whoever writes a file is rarely done with the first change. */
    readonly settleMs?: number;
    /** Mounts that swap links, and file systems that tell nobody. */
    readonly pollMs?: number;
  };

const settleMsDefault = 200;
const pollMsDefault = 10_000;

/** What a folder says, as of its last state that could be used. */
export class FolderConfig implements ConfigSource {
  readonly #options: FolderConfigOptions;
  readonly #current: CurrentConfig;
  #files: readonly ConfigFile[] | null = null;
  /** What each text says. */
  #reads: ReadonlyMap<string, SourceRead> = new Map();
  #watcher: FSWatcher | null = null;
  #settling: NodeJS.Timeout | null = null;
  #polling: NodeJS.Timeout | null = null;
  #loading: Promise<void> | null = null;
  #isClosed = false;

  constructor(options: FolderConfigOptions) {
    this.#options = options;
    this.#current = new CurrentConfig(options);
  }

  get config(): RlsConfig | null {
    return this.#current.config;
  }

  /** Loads, and goes on doing so when something changes. */
  async open(): Promise<void> {
    await this.load();
    this.#watch();
    const { pollMs = pollMsDefault } = this.#options;
    this.#polling = setInterval(() => {
      if (!this.#watcher) this.#watch();
      void this.load();
    }, pollMs);
    this.#polling.unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watcher?.close();
    if (this.#polling) clearInterval(this.#polling);
    if (this.#settling) clearTimeout(this.#settling);
    await this.#loading;
  }

  /** Who asks while it loads waits for the next: what was read may be older than what they mean. */
  async load(): Promise<void> {
    await this.#loading;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const files = await readFolder(this.#options.folder);
      if (this.#files && isSame(this.#files, files)) return;
      // Before it is read: what is wrong stays wrong until it changes.
      this.#files = files;
      this.#current.take(await this.#read(files));
    } catch (error) {
      this.#current.refuse(error);
    }
  }

  /** Only what has changed is read again. */
  async #read(files: readonly ConfigFile[]): Promise<readonly ReadFile[]> {
    const known = this.#reads;
    const texts = [...new Set(files.map(({ text }) => text))].filter((text) => !known.has(text));
    const fresh = await readTexts(texts);
    const reads = new Map<string, SourceRead>();
    for (const { text } of files) {
      const read = known.get(text) ?? fresh[texts.indexOf(text)];
      if (read) reads.set(text, read);
    }
    this.#reads = reads;
    return files.flatMap(({ name, text }) => {
      const read = reads.get(text);
      return read ? [{ name, read }] : [];
    });
  }

  #watch(): void {
    try {
      this.#watcher = watch(this.#options.folder, { persistent: false }, () => this.#soon());
      this.#watcher.on('error', () => this.#unwatched());
    } catch {
      // Polling goes on, and tries to watch again.
      this.#watcher = null;
    }
  }

  #unwatched(): void {
    this.#watcher?.close();
    this.#watcher = null;
  }

  #soon(): void {
    if (this.#settling) clearTimeout(this.#settling);
    this.#settling = setTimeout(() => {
      this.#settling = null;
      void this.load();
    }, this.#options.settleMs ?? settleMsDefault);
    this.#settling.unref();
  }
}

function isSame(a: readonly ConfigFile[], b: readonly ConfigFile[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ name, text }, at) => name === b[at]?.name && text === b[at]?.text)
  );
}
