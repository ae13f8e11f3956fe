import { pino, type Logger as PinoLogger } from 'pino';
import { inAscii } from 'sluice/core';
import { LogLines, type LogDestination } from './log-lines.ts';
import { redactLine } from './redact.ts';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export type LoggerOptions = {
  readonly level?: LogLevel;
  /** A file's path, a file descriptor or an object to write to; standard output by default. */
  readonly destination?: number | string | LogDestination;
  /** Told how many lines were given up because the destination did not take them. */
  readonly onDrop?: (lines: number) => void;
};

/** Everything this process says: JSON lines, one event each. */
export type Log = {
  readonly logger: PinoLogger;
  /** Whether lines about ordinary events are wanted. */
  readonly wantsInfo: boolean;
  /** A line made by hand, with its end, in ASCII, in order with the logger's own. */
  write(line: string): void;
  /** Hands all lines on and waits for them to be written, two seconds at most. */
  close(): Promise<void>;
};

/** When the reader is slower than we are for long, lines are dropped rather than memory filled. */
const bufferedBytesMax = 8 * 1024 * 1024;
const closeMsMax = 2_000;

export function createLogger({ level = 'info', destination = 1, onDrop }: LoggerOptions = {}): Log {
  const drop = onDrop ?? (() => {});
  const sink = isDestination(destination) ? ownerOf(destination) : openSink(destination, drop);
  const lines = new LogLines(sink.destination, drop);
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => lines.write(inAscii(redactLine(line))) },
  );
  const onExit = () => {
    lines.flush();
    sink.flushSync();
  };
  process.once('exit', onExit);
  return {
    logger,
    get wantsInfo() {
      return logger.isLevelEnabled('info');
    },
    write: (line) => lines.write(line),
    close: async () => {
      process.off('exit', onExit);
      lines.flush();
      await sink.close();
    },
  };
}

type Sink = {
  readonly destination: LogDestination;
  flushSync(): void;
  close(): Promise<void>;
};

function isDestination(given: number | string | LogDestination): given is LogDestination {
  return typeof given === 'object';
}

/** Somebody else's to close. */
function ownerOf(destination: LogDestination): Sink {
  return { destination, flushSync: () => {}, close: async () => {} };
}

function openSink(dest: number | string, onDrop: (lines: number) => void): Sink {
  const stream = pino.destination({
    dest,
    sync: false,
    maxLength: bufferedBytesMax,
    // What comes together is written together, and nothing else with it.
    maxWrite: 1,
    contentMode: 'buffer',
    mkdir: true,
  });
  let isBroken = false;
  stream.on('drop', (bytes: Buffer) => onDrop(linesIn(bytes)));
  // A full disk may have room again, and what is buffered is tried again with the next line; a pipe
  // without a reader is gone for good. Neither is a reason to stop deciding.
  stream.on('error', (error: NodeJS.ErrnoException) => (isBroken ||= error.code === 'EPIPE'));
  // Its declaration knows texts only. Of those it would count the bytes first, and once they are
  // written make them bytes again to see what is left.
  const bytesOf = (text: string) => Buffer.from(text, 'latin1') as unknown as string;
  return {
    destination: { write: (text) => stream.write(bytesOf(text)) },
    flushSync: () => {
      try {
        stream.flushSync();
      } catch {
        // Nothing is left to tell it to.
      }
    },
    close: () =>
      new Promise((resolve) => {
        if (isBroken) return resolve();
        const timer = setTimeout(resolve, closeMsMax);
        const done = () => {
          clearTimeout(timer);
          resolve();
        };
        stream.once('close', done).once('error', done);
        stream.end();
      }),
  };
}

function linesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf('\n'); at !== -1; at = bytes.indexOf('\n', at + 1)) count++;
  return count;
}
