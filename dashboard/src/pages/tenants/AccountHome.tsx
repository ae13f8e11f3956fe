import { Redirect } from 'wouter';

/** `/account`: one address for each view, so that going from one to the next keeps the page. */
export default function AccountHome() {
  return <Redirect to="/account/overview" replace />;
}
