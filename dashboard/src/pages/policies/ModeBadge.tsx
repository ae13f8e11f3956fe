import { Badge, type Tone } from '../../ui/Badge.tsx';

const tones: Readonly<Record<string, Tone>> = {
  enforce: 'good',
  warn: 'warning',
  shadow: 'odd',
  off: 'neutral',
};

export function ModeBadge({ mode }: { readonly mode: string }) {
  return <Badge tone={tones[mode] ?? 'neutral'}>{mode}</Badge>;
}
