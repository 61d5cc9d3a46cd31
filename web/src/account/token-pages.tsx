import type { ComponentChildren } from 'preact';
import { NewPasswordField } from './account-fields.js';
import { useState } from 'preact/hooks';
import type { Problem } from '../../../sdk/src/problem.js';
import { api } from '../client.js';
import { useTexts } from '../components/context.js';
import { AccountPage, BrokenLink, Done, useFragment } from './account-page.js';
import { Field, RequestForm, TextField } from './request-form.js';

/** Asks for a mail with the link of `ResetPassword`. */
export function ForgotPassword() {
  const texts = useTexts().account;
  const [isDone, setDone] = useState(false);
  return (
    <AccountPage title={texts.forgotTitle}>
      {isDone ? (
        <Done>{texts.forgotDone}</Done>
      ) : (
        <RequestForm
          action={texts.forgotAction}
          send={({ email = '' }) => api.POST('/v1/auth/password-reset', { body: { email } })}
          done={() => setDone(true)}
        >
          <p>{texts.forgotIntroduction}</p>
          <Field name="email" label={texts.email} type="email" autocomplete="email" maxLength={254} />
        </RequestForm>
      )}
    </AccountPage>
  );
}

export function ResetPassword() {
  const texts = useTexts().account;
  const another = (
    <p>
      <a class="button" href="/forgot-password">
        {texts.requestAnother}
      </a>
    </p>
  );
  return (
    <TokenAction
      name="reset"
      send={(token, { password = '' }) => api.PUT('/v1/auth/password-reset', { body: { token, password } })}
      afterBroken={another}
    >
      <NewPasswordField label={texts.newPassword} />
    </TokenAction>
  );
}

export const ConfirmEmail = () => (
  <TokenAction name="confirm" send={(token) => api.PUT('/v1/auth/email-verification', { body: { token } })} />
);
export const UndoEmail = () => (
  <TokenAction name="undo" send={(token) => api.PUT('/v1/auth/email/undo', { body: { token } })} />
);
export const RequestExport = () => (
  <TokenAction name="export" send={(token) => api.POST('/v1/users/me/exports/by-mail', { body: { token } })} />
);

export function AppealByMail() {
  return (
    <TokenAction
      name="appeal"
      send={(token, { text = '' }) => api.POST('/v1/appeals/by-mail', { body: { token, text } })}
    >
      <TextField name="text" label={useTexts().account.appealText} maxLength={2_000} />
    </TokenAction>
  );
}

type Result = { data?: unknown; error?: unknown; response: Response };
type ActionProps = {
  name: 'reset' | 'confirm' | 'undo' | 'export' | 'appeal';
  send: (token: string, values: Record<string, string>) => Promise<Result>;
  /** what follows after the text for a link that is not valid */
  afterBroken?: ComponentChildren;
  /** fields */
  children?: ComponentChildren;
};

/** A page with one button, because programs that check links of mails also open them. */
function TokenAction({ name, send, afterBroken, children }: ActionProps) {
  const texts = useTexts().account[name];
  const token = useFragment('token');
  const [state, setState] = useState<'open' | 'done' | 'expired'>(token === undefined ? 'expired' : 'open');
  return (
    <AccountPage title={texts.title}>
      {state === 'done' && <Done>{texts.done}</Done>}
      {state === 'expired' && <BrokenLink />}
      {state === 'expired' && afterBroken}
      {state === 'open' && (
        <RequestForm
          action={texts.action}
          send={(values) => send(token!, values)}
          done={() => setState('done')}
          handle={(problem) => isOfToken(problem) && (setState('expired'), true)}
        >
          <p>{texts.introduction}</p>
          {children}
        </RequestForm>
      )}
    </AccountPage>
  );
}

function isOfToken({ code }: Problem): boolean {
  return code === 'invalid_reset_token' || code === 'invalid_email_token';
}
