import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Slider } from '../../../ui/Slider.tsx';
import { waitInWords } from '../../../ui/words.ts';
import type { Algorithm } from '../algorithms.ts';
import type { BurstSettings } from './settings.ts';

/** What to send, and the button that sends it. */
export function BurstControls({
  algorithm,
  settings,
  onChange,
  isRunning,
  onFire,
  onStop,
}: {
  readonly algorithm: Algorithm;
  readonly settings: BurstSettings;
  readonly onChange: (settings: BurstSettings) => void;
  readonly isRunning: boolean;
  readonly onFire: () => void;
  readonly onStop: () => void;
}) {
  const set = (part: Partial<BurstSettings>) => onChange({ ...settings, ...part });
  return (
    <Card title="Burst">
      <div className="stack">
        <Slider
          label="Burst size"
          value={settings.size}
          min={1}
          max={60}
          show={(size) => (size === 1 ? '1 call' : `${size} calls`)}
          onChange={(size) => set({ size })}
        />
        <Slider
          label="Rate"
          value={settings.perSecond}
          min={0}
          max={50}
          show={(rate) => (rate === 0 ? 'all at once' : `${rate} a second`)}
          onChange={(perSecond) => set({ perSecond })}
        />
        <Slider
          label="Cost of each"
          value={settings.cost}
          min={1}
          max={12}
          onChange={(cost) => set({ cost })}
          {...(algorithm === 'concurrency' && {
            hint: 'A call takes one slot, whatever it costs.',
          })}
        />
        <Slider
          label="Concurrency"
          value={settings.atOnce}
          min={1}
          max={20}
          show={(atOnce) => `${atOnce} under way`}
          onChange={(atOnce) => set({ atOnce })}
        />
        {algorithm === 'concurrency' && (
          <Slider
            label="Each takes"
            value={settings.holdMs}
            min={100}
            max={5000}
            step={100}
            show={waitInWords}
            onChange={(holdMs) => set({ holdMs })}
          />
        )}
        {isRunning ? (
          <Button onClick={onStop} icon="close">
            Stop
          </Button>
        ) : (
          <Button variant="primary" icon="play" onClick={onFire}>
            Fire
          </Button>
        )}
      </div>
    </Card>
  );
}
