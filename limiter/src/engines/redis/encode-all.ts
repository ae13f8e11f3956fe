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
  let like: Encoded | null = null;
  let liked: SlotCall | null = null;
  for (let at = 0; at < calls.length; at += 1) {
    const call = calls[at] as SlotCall;
    if (like && liked && isAlike(liked, call)) all[at] = repeated(like, call, context);
    else {
      all[at] = like = new EncodedCall(call, context);
      liked = call;
    }
  }
  return all;
}

/** Whether both say the same but for names. */
function isAlike(a: SlotCall, b: SlotCall): boolean {
  const one = lonePlain(a);
  const other = lonePlain(b);
  if (!one || !other || !asksAlike(one, other)) return false;
  if (!a.snapshot || !b.snapshot) return a.snapshot === b.snapshot;
  return (
    a.snapshot.validUntilUs === b.snapshot.validUntilUs &&
    a.snapshot.confirmed === b.snapshot.confirmed
  );
}

/** The call's only question, if it has no more of its own than keys. */
function lonePlain({ questions, global, sweptUntilUs }: SlotCall): Part | null {
  const [only] = questions;
  if (!only || questions.length > 1 || global || sweptUntilUs !== undefined) return null;
  return isPlain(only) ? only : null;
}

/** In the order in which `EncodedCall` has them. */
function repeated(like: Encoded, call: SlotCall, { keys, allowances }: EncodeContext): Encoded {
  const { tenant, snapshot } = call;
  const { limits, ledgerLabel } = call.questions[0] as Part;
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
  const epoch = snapshot ? epochText(snapshot) : null;
  return { uses: like.uses, keys: names, args: like.args, epoch };
}
