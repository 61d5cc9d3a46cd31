import { useEffect, useState } from 'preact/hooks';
import { withQuery } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { AccountFields } from './account-fields.js';
import { AccountPage, Done } from './account-page.js';
import { ownPath } from './own-path.js';
import { ProviderButtons } from './providers.js';
import { Field, RequestForm } from './request-form.js';
import { useLoaded } from './use-loaded.js';

/** `/register?to=<path>&invite=<code>` */
export function RegisterPage() {
  const { or, hasAccount, title, registration: texts } = useTexts().signIn;
  const [query] = useState(() => new URLSearchParams(location.search));
  const [to, invite] = [ownPath(query.get('to')), query.get('invite') ?? undefined];
  const { data: site, failure } = useLoaded(() => unwrap(api.GET('/v1/instance')));
  const [outcome, setOutcome] = useState<string>();
  useEffect(() => {
    void api.resume().then(
      (isSignedIn) => isSignedIn && location.replace(to),
      () => undefined,
    );
  }, []);
  const mode = site?.registration;
  return (
    <AccountPage title={texts.title}>
      {failure !== undefined && <p role="alert">{failure}</p>}
      {outcome !== undefined && <Done>{outcome}</Done>}
      {outcome === undefined && mode !== undefined && texts.modes[mode] !== '' && <p>{texts.modes[mode]}</p>}
      {outcome === undefined && mode !== undefined && mode !== 'closed' && (
        <div class="sign-in">
          <RegisterForm mode={mode} invite={invite} done={setOutcome} />
          {site!.providers.length > 0 && <p class="or">{or}</p>}
          <ProviderButtons to={to} invite={invite} />
        </div>
      )}
      <p>
        {outcome === undefined ? (
          <>
            {hasAccount} <a href={withQuery('/sign-in', { to: query.get('to') ?? undefined })}>{title}</a>
          </>
        ) : (
          <a class="button" href={to}>
            {texts.go}
          </a>
        )}
      </p>
    </AccountPage>
  );
}

type FormProps = {
  mode: 'open' | 'invite' | 'approval';
  invite: string | undefined;
  /** called with what happened */
  done: (text: string) => void;
};

function RegisterForm({ mode, invite, done }: FormProps) {
  const texts = useTexts().signIn.registration;
  const [email, setEmail] = useState('');
  const send = ({ fullName = '', username = '', email = '', password = '', ...more }: Record<string, string>) => {
    setEmail(email);
    const given = Object.fromEntries(Object.entries(more).filter(([, text]) => text !== ''));
    return api.POST('/v1/auth/register', { body: { fullName, username, email, password, ...given } });
  };
  return (
    <RequestForm
      action={texts.action}
      send={send}
      // 202 has no body: a moderator decides.
      done={(made) => done(made === undefined ? texts.pending(email) : texts.done(email))}
    >
      <AccountFields />
      {mode !== 'open' && (
        <Field
          name="invite"
          label={texts.invite}
          value={invite}
          isOptional={mode === 'approval'}
          autocomplete="off"
          maxLength={60}
        />
      )}
      {mode === 'approval' && invite === undefined && (
        <Field name="reason" label={texts.reason} hint={texts.reasonHint} isOptional dir="auto" maxLength={500} />
      )}
    </RequestForm>
  );
}
