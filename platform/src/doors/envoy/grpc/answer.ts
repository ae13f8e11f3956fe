import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { grpcStatus, type GrpcStatus } from './status.ts';

export const frameHeadBytes = 5;

const okHeaders: OutgoingHttpHeaders = Object.freeze({
  ':status': 200,
  'content-type': 'application/grpc+proto',
});
const okTrailers: OutgoingHttpHeaders = Object.freeze({ 'grpc-status': String(grpcStatus.OK) });
const withTrailers = Object.freeze({ waitForTrailers: true });

/** The head of a message that is not compressed and begins right after it. */
export function writeFrameHead(frame: Buffer): void {
  frame[0] = 0;
  frame.writeUInt32BE(frame.length - frameHeadBytes, 1);
}

export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(frameHeadBytes + message.length);
  writeFrameHead(frame);
  frame.set(message, frameHeadBytes);
  return frame;
}

/** Whether anybody is still there to be answered. */
export function isOpen(stream: ServerHttp2Stream): boolean {
  return !stream.destroyed && !stream.closed && !stream.headersSent;
}

/** The answer and the end of the call in one go, which is one write to the socket. */
export function answer(stream: ServerHttp2Stream, frame: Buffer): void {
  if (!isOpen(stream)) return;
  startAnswer(stream);
  stream.end(frame);
}

/** For an answer of several messages: what is written from now on, until `end`. */
export function startAnswer(stream: ServerHttp2Stream): void {
  stream.respond(okHeaders, withTrailers);
  stream.once('wantTrailers', sendOk);
}

export function refuse(stream: ServerHttp2Stream, status: GrpcStatus, details: string): void {
  if (!isOpen(stream)) return;
  stream.respond(
    {
      ...okHeaders,
      'grpc-status': String(grpcStatus[status]),
      'grpc-message': encodeURI(details.toWellFormed()),
    },
    { endStream: true },
  );
  // Who is not done asking need not go on.
  if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
}

function sendOk(this: ServerHttp2Stream): void {
  this.sendTrailers(okTrailers);
}
