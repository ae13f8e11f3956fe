import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/dialog/Dialog.tsx';
import { useLeaving } from './leaving.ts';

/** Stands there while somebody is about to lose what they have not saved. */
export function LeaveDialog() {
  const { isAsked, stay, leave } = useLeaving();
  if (!isAsked) return null;
  return (
    <Dialog title="Leave without saving?" onClose={stay}>
      <div className="stack">
        <p>What you have changed here is not saved, and is lost when you leave.</p>
        <div className="dialog-actions">
          <Button onClick={stay}>Keep editing</Button>
          <Button variant="danger" onClick={leave}>
            Leave
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
