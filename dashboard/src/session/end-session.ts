import { toast } from '../ui/toast/toasts.ts';
import { currentToken, setToken } from './token.ts';

/** The service does not know the token any more, whichever request found out. */
export function endSession(): void {
  if (currentToken() === null) return;
  setToken(null);
  toast.fail('Your token is not valid any more. Sign in again.');
}
