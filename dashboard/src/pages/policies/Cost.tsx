import { count } from '../../ui/words.ts';

/** What a call costs: `5`, `1 and 50 elements`. */
export function Cost({
  of: { cost, costs },
}: {
  readonly of: {
    readonly cost: number | null;
    readonly costs: Readonly<Record<string, number>>;
  };
}) {
  const units = Object.entries(costs).map(([unit, amount]) => amountOf(unit, amount));
  const requests = cost === null && units.length > 0 ? [] : [count(cost ?? 1)];
  return (
    <span className={cost === null && units.length === 0 ? 'quiet figures' : 'figures'}>
      {[...requests, ...units].join(' and ')}
    </span>
  );
}

function amountOf(unit: string, amount: number): string {
  return `${count(amount)} ${amount === 1 ? unit.replace(/s$/, '') : unit}`;
}
