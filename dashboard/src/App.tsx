import { Suspense } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { PageBoundary } from './layout/PageBoundary.tsx';
import { Shell } from './layout/Shell.tsx';
import { NotFoundPage } from './pages/NotFoundPage.tsx';
import { SignInPage } from './pages/SignInPage.tsx';
import { homeOf, isFor, routes, type PageRoute } from './routes.ts';
import { useSession } from './session/session.ts';
import { Failed, Loading } from './ui/States.tsx';

export function App() {
  const session = useSession();
  const [location] = useLocation();
  return (
    <Shell session={session}>
      <PageBoundary location={location}>
        <Suspense fallback={<Loading lines={8} />}>
          <Switch>
            <Route key="home" path="/">
              {session.isChecking ? <Loading /> : <Redirect to={homeOf(session)} replace />}
            </Route>
            <Route key="sign-in" path="/sign-in">
              {session.isSignedIn ? <Redirect to="/" replace /> : <SignInPage />}
            </Route>
            {routes.map((route) => (
              <Route key={`${route.path} ${route.audience}`} path={route.path}>
                <Guarded route={route} />
              </Route>
            ))}
            <Route>
              <NotFoundPage />
            </Route>
          </Switch>
        </Suspense>
      </PageBoundary>
    </Shell>
  );
}

/** The page, or what must come before it. */
function Guarded({ route }: { readonly route: PageRoute }) {
  const session = useSession();
  if (isFor(route.audience, session)) return <route.page />;
  if (session.isChecking) return <Loading lines={8} />;
  if (session.error) return <Failed error={session.error} />;
  return session.isSignedIn ? <NotFoundPage /> : <SignInPage />;
}
