import { useState } from 'react';
import type { Demo, DemoPlan } from '../../api/objects.ts';
import { Card } from '../../ui/Card.tsx';
import { Code } from '../../ui/Code.tsx';
import { adviceFor } from './advice.ts';
import { algorithms } from './algorithms.ts';
import { AnswersCard } from './answers/AnswersCard.tsx';
import { BurstControls } from './burst/BurstControls.tsx';
import { checkOf, curlOf } from './burst/ask.ts';
import { defaultSettings } from './burst/settings.ts';
import { useBurst } from './burst/use-burst.ts';
import { StateCard } from './drawing/StateCard.tsx';

/** Everything about one algorithm: what to send, what came back, what it remembers. */
export function Bench({
  demo,
  plan,
  subject,
  isShown,
}: {
  readonly demo: Demo;
  readonly plan: DemoPlan;
  readonly subject: string;
  /** What nobody looks at is not drawn. */
  readonly isShown: boolean;
}) {
  const [settings, setSettings] = useState(defaultSettings);
  const burst = useBurst(demo, plan, subject);
  const [limit] = plan.limits;
  if (!limit || !isShown) return null;
  const last = burst.answers.filter(({ burst: of }) => of === burst.answers.at(-1)?.burst);
  const check = checkOf(plan.id, subject, settings.cost);
  return (
    <div className="bench">
      <p className="bench-about">{algorithms[limit.algorithm].about}</p>
      <div className="bench-side">
        <BurstControls
          algorithm={limit.algorithm}
          settings={settings}
          onChange={setSettings}
          isRunning={burst.isRunning}
          onFire={() => void burst.fire(settings)}
          onStop={burst.stop}
        />
        <Card title="What the client should do">
          <div className="stack">
            {adviceFor(limit, settings, last).map((sentence) => (
              <p key={sentence}>{sentence}</p>
            ))}
          </div>
        </Card>
      </div>
      <div className="bench-results">
        <AnswersCard burst={burst} />
        <StateCard plan={plan} burst={burst} />
        <Card title="The same, from a terminal">
          <Code text={curlOf({ key: demo.key, check })} label="The check as a curl command" />
        </Card>
      </div>
    </div>
  );
}
