import { Page } from '../../ui/Page.tsx';

export default function PlaygroundPage() {
  return (
    <Page title="Playground" about="Fire a burst at a real limit and watch what gets through.">
      <p />
    </Page>
  );
}
