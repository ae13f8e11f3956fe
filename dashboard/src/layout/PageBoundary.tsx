import { Component, type ReactNode } from 'react';
import { Button } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';

type Props = {
  /** What broke is forgotten when this changes. */
  readonly location: string;
  readonly children: ReactNode;
};
type State = { readonly error: Error | null; readonly location: string };

/** A page that breaks takes nothing else with it. After an update of the service, loading again helps. */
export class PageBoundary extends Component<Props, State> {
  override state: State = { error: null, location: this.props.location };

  static getDerivedStateFromError(error: Error): Partial<State> {
    return { error };
  }

  static getDerivedStateFromProps({ location }: Props, state: State): Partial<State> | null {
    return location === state.location ? null : { error: null, location };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="state" role="alert">
        <span className="state-icon tone-bad">
          <Icon name="alert" size={20} />
        </span>
        <p className="state-title">This page broke</p>
        <p className="quiet">{error.message}</p>
        <Button icon="refresh" onClick={() => location.reload()}>
          Load it again
        </Button>
      </div>
    );
  }
}
