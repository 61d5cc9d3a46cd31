import { useState } from 'preact/hooks';
import { unwrap } from '../../../sdk/src/problem.js';
import type { components } from '../../../sdk/src/schema.js';
import { api } from '../client.js';
import { useTexts } from '../components/context.js';
import { AccountPage, useFragment } from './account-page.js';
import { Field, RequestForm, SelectField } from './request-form.js';
import { useLoaded } from './use-loaded.js';

type Mode = components['schemas']['Instance']['registration'];

/** `/welcome#code=<code>`: the first run. */
export function WelcomePage() {
  const texts = useTexts().welcome;
  const { data, failure } = useLoaded(() => unwrap(api.GET('/v1/instance')));
  const code = useFragment('code');
  return (
    <AccountPage title={texts.title}>
      {failure !== undefined && <p role="alert">{failure}</p>}
      {data !== undefined && <Setup code={code} name={data.name} registration={data.registration} />}
    </AccountPage>
  );
}

function Setup({ code, name, registration }: { code: string | undefined; name: string; registration: Mode }) {
  const { welcome: texts, account } = useTexts();
  const [isDone, setDone] = useState(false);
  if (isDone)
    return (
      <p role="alert">
        {texts.signIn} <a href="/">{texts.doneLink}</a>
      </p>
    );
  return (
    <RequestForm
      action={texts.action}
      send={(values) => {
        const { username = '', fullName = '', email = '', password = '', name = '' } = values;
        const mode = values['registration'] as Mode;
        const given = { username, fullName, email, password, name, registration: mode };
        return api.POST('/v1/instance/setup', { body: { code: code ?? values['code'] ?? '', ...given } });
      }}
      done={() => location.assign('/')}
      handle={(problem) => problem.code === 'setup_done' && (setDone(true), true)}
    >
      <p>{texts.introduction}</p>
      {code === undefined && (
        <Field name="code" label={texts.code} hint={texts.codeHint} autocomplete="off" maxLength={100} />
      )}
      <Field name="name" label={texts.siteName} value={name} dir="auto" autocomplete="off" maxLength={100} />
      <SelectField name="registration" label={texts.registration} value={registration} options={texts.modes} />
      <h2>{texts.admin}</h2>
      <Field
        name="username"
        label={texts.username}
        hint={texts.usernameHint}
        autocomplete="username"
        minLength={4}
        maxLength={16}
      />
      <Field name="fullName" label={texts.name} dir="auto" autocomplete="name" maxLength={64} />
      <Field name="email" label={account.email} type="email" autocomplete="email" maxLength={254} />
      <Field
        name="password"
        label={account.password}
        hint={account.passwordHint(8)}
        type="password"
        autocomplete="new-password"
        minLength={8}
        maxLength={128}
      />
    </RequestForm>
  );
}
