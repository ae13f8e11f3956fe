import { listOf } from '../../core/list.ts';
import { EncodedCall } from './encode.ts';
import { countersAllowanceSuffix, epochSuffix, ledgerSuffix, penaltySuffix } from './keys.ts';
import {
  asksAlike,
  epochText,
  isPlain,
  type Encoded,
  type EncodeContext,
  type Part,
  type SlotCall,
} from './slot-call.ts';

/** Calls of several tenants. Those on one plan mostly ask alike: that is spelled once. */
export function encodeAll(calls: readonly SlotCall[], context: EncodeContext): Encoded[] {
  const all = listOf<Encoded>(calls.length);
  let like: Like | null = null;
  for (let at = 0; at < calls.length; at += 1) {
    const call = calls[at] as SlotCall;
    const part = lonePlain(call);
    if (part && like && isAlike(like, call, part)) {
      all[at] = repeated(like, call, part, context);
    } else {
      const encoded = new EncodedCall(call, context);
      all[at] = encoded;
      like = part ? { call, part, encoded } : null;
    }
  }
  return all;
}

/** What the next call may be like. */
type Like = { readonly call: SlotCall; readonly part: Part; readonly encoded: Encoded };

/** Whether both say the same but for names. */
function isAlike(like: Like, { snapshot }: SlotCall, part: Part): boolean {
  if (!asksAlike(like.part, part)) return false;
  const { snapshot: liked } = like.call;
  if (!liked || !snapshot) return liked === snapshot;
  return liked.validUntilUs === snapshot.validUntilUs && liked.confirmed === snapshot.confirmed;
}

/** The call's only question, if it has no more of its own than keys. */
function lonePlain({ questions, global, sweptUntilUs }: SlotCall): Part | null {
  const [only] = questions;
  if (!only || questions.length > 1 || global || sweptUntilUs !== undefined) return null;
  return isPlain(only) ? only : null;
}

/** In the order in which `EncodedCall` has them. */
function repeated(
  { call: liked, encoded }: Like,
  { tenant, snapshot }: SlotCall,
  { limits, ledgerLabel }: Part,
  { keys, allowances }: EncodeContext,
): Encoded {
  const prefix = keys.tenant(tenant);
  const names: string[] = [];
  if (snapshot) names.push(prefix + epochSuffix);
  if (ledgerLabel !== undefined) names.push(prefix + ledgerSuffix);
  for (const bound of limits) {
    const key = keys.counterOf(prefix, bound);
    names.push(key);
    if (bound.limit.penalty) names.push(key + penaltySuffix);
  }
  if (allowances) names.push(prefix + countersAllowanceSuffix);
  const { uses, args } = encoded;
  // Most tenants have one of few epochs, and then the very same.
  const isSame = liked.snapshot?.epoch === snapshot?.epoch;
  const epoch = isSame ? encoded.epoch : snapshot ? epochText(snapshot) : null;
  return { uses, keys: names, args, epoch };
}
