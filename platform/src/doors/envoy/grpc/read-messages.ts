import type { ServerHttp2Stream } from 'node:http2';
import { frameHeadBytes, refuse } from './answer.ts';

export type Listening = {
  readonly bytesMax: number;
  /** Of several only the first is heard; the stream's own `end` tells that there are no more. */
  readonly isUnary: boolean;
  readonly onMessage: (message: Buffer) => void;
};

/**
 * Puts messages together from what arrives. Nearly always one piece is one message, and nothing is
 * copied; however small the pieces, each byte is copied twice at most.
 */
export function readMessages(stream: ServerHttp2Stream, listening: Listening): void {
  const { bytesMax, isUnary, onMessage } = listening;
  let pieces: Buffer[] = [];
  let length = 0;
  let needed = frameHeadBytes;
  let isOver = false;

  const take = (frame: Buffer): boolean => {
    const size = frame.readUInt32BE(1);
    if (size > bytesMax) {
      refuse(stream, 'RESOURCE_EXHAUSTED', `a message must be at most ${bytesMax} bytes`);
      return false;
    }
    needed = frameHeadBytes + size;
    if (frame.length < needed) return true;
    if (frame[0] !== 0) {
      refuse(stream, 'UNIMPLEMENTED', 'send messages without compression');
      return false;
    }
    onMessage(frame.subarray(frameHeadBytes, needed));
    return !isUnary;
  };

  stream.on('data', (piece: Buffer) => {
    if (isOver) return;
    pieces.push(piece);
    length += piece.length;
    while (!isOver && length >= needed) {
      const [first = piece] = pieces;
      const bytes = pieces.length === 1 ? first : Buffer.concat(pieces);
      isOver = !take(bytes);
      const isWhole = bytes.length >= needed;
      const rest = isWhole ? bytes.subarray(needed) : bytes;
      if (isWhole) needed = frameHeadBytes;
      pieces = rest.length > 0 ? [rest] : [];
      length = rest.length;
    }
  });
  stream.on('end', () => {
    if (isOver || (!isUnary && length === 0)) return;
    refuse(stream, 'INVALID_ARGUMENT', 'the call ended before its message did');
  });
}
