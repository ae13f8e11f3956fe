import { Page } from '../../ui/Page.tsx';
import { Empty, Loading } from '../../ui/States.tsx';
import { useLive, type Live } from '../../live/use-live.ts';
import { DecisionsChart } from './DecisionsChart.tsx';
import { LatencyChart } from './LatencyChart.tsx';
import { LiveState } from './LiveState.tsx';
import { Standing } from './Standing.tsx';
import { Tiles } from './Tiles.tsx';
import { TopLimits } from './TopLimits.tsx';
import { TopSubjects } from './TopSubjects.tsx';
import './overview.css';

export default function OverviewPage() {
  const live = useLive();
  return (
    <Page
      title="Overview"
      about="What all nodes decide, second by second."
      actions={<LiveState state={live.state} />}
    >
      <Content live={live} />
    </Page>
  );
}

function Content({ live: { seconds, state } }: { readonly live: Live }) {
  if (seconds.length === 0) {
    if (state.kind !== 'off') return <Loading lines={8} />;
    return (
      <Empty icon="gauge" title="There is nothing to watch">
        {state.reason.status === 404
          ? 'This service keeps no evidence (SLUICE_EVIDENCE is off).'
          : state.reason.message}
      </Empty>
    );
  }
  return (
    <div className="overview">
      <Tiles seconds={seconds} />
      <DecisionsChart seconds={seconds} />
      <LatencyChart seconds={seconds} />
      <TopLimits seconds={seconds} />
      <TopSubjects seconds={seconds} />
      <Standing seconds={seconds} />
    </div>
  );
}
