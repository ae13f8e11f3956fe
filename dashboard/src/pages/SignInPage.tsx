import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem } from '../api/problem.ts';
import { signIn } from '../session/session.ts';
import { Form } from '../ui/form/Form.tsx';
import { TextField } from '../ui/form/inputs.tsx';
import { Page } from '../ui/Page.tsx';

/** Stands in the place of any page that needs a token; afterwards that page is there. */
export function SignInPage() {
  const [token, setToken] = useState('');
  const attempt = useMutation({ mutationFn: () => signIn(token.trim()) });
  return (
    <div className="sign-in">
      <Page title="Sign in" about="With an admin token. What you see is what the token may.">
        <div className="card">
          <div className="card-body">
            <Form
              submit="Sign in"
              busy={attempt.isPending}
              error={attempt.error}
              found={problemsOf(attempt.error)}
              onSubmit={() => attempt.mutate()}
            >
              <TextField
                label="Admin token"
                name="token"
                type="password"
                autoComplete="off"
                value={token}
                onChange={setToken}
                hint="npm start prints one. It is kept in this tab only, until you close it or sign out."
              />
            </Form>
          </div>
        </div>
      </Page>
    </div>
  );
}

function problemsOf(error: unknown) {
  const isRefused = error instanceof ApiProblem && error.status === 401;
  return isRefused ? [{ field: 'token', problem: 'Not a token that is valid here.' }] : [];
}
