import { useState } from 'preact/hooks';
import type { Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { AccountFields } from './account-fields.js';
import { AccountPage, useFragment } from './account-page.js';
import { Field, RequestForm, SelectField } from './request-form.js';
import { OwnPage } from './signed-in.js';
import { useLoaded } from './use-loaded.js';

type Settings = Pick<Schemas['Instance'], 'name' | 'registration'>;

/** `/welcome#code=<code>`: the first run. */
export function WelcomePage() {
  const texts = useTexts().welcome;
  const { data, failure } = useSettings();
  const code = useFragment('code');
  return (
    <AccountPage title={texts.title}>
      {failure !== undefined && <p role="alert">{failure}</p>}
      {data !== undefined && <Setup code={code} {...data} />}
    </AccountPage>
  );
}

function Setup({ code, ...settings }: Settings & { code: string | undefined }) {
  const texts = useTexts().welcome;
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
        const given = { code: code ?? '', ...values } as Schemas['SetupInput'];
        return api.POST('/v1/instance/setup', { body: given });
      }}
      done={() => location.assign('/')}
      handle={(problem) => problem.code === 'setup_done' && (setDone(true), true)}
    >
      <p>{texts.introduction}</p>
      {code === undefined && (
        <Field name="code" label={texts.code} hint={texts.codeHint} autocomplete="off" maxLength={100} />
      )}
      <SettingsFields {...settings} />
      <h2>{texts.admin}</h2>
      <AccountFields />
    </RequestForm>
  );
}

/** `/site-settings`, for admins. */
export function SiteSettingsPage() {
  return (
    <OwnPage title={useTexts().welcome.settings}>
      <SettingsForm />
    </OwnPage>
  );
}

function SettingsForm() {
  const texts = useTexts().settings;
  const { data, wait } = useSettings();
  const [isSaved, setSaved] = useState(false);
  if (data === undefined) return wait;
  return (
    <RequestForm
      action={texts.save}
      send={(values) => (setSaved(false), api.PATCH('/v1/instance', { body: values as Settings }))}
      done={() => setSaved(true)}
    >
      <SettingsFields {...data} />
      <p role="status">{isSaved && texts.saved}</p>
    </RequestForm>
  );
}

function useSettings() {
  // A browser may show a response that is 30 s old.
  return useLoaded(() => unwrap(api.GET('/v1/instance', { cache: 'no-cache' })));
}

function SettingsFields({ name, registration }: Settings) {
  const texts = useTexts().welcome;
  return (
    <>
      <Field name="name" label={texts.siteName} value={name} dir="auto" autocomplete="off" maxLength={100} />
      <SelectField name="registration" label={texts.registration} value={registration} options={texts.modes} />
    </>
  );
}
