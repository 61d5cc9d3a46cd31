import { useState } from 'preact/hooks';
import { CheckField, Field, SelectField, TextField } from '../account/request-form.js';
import { useAction } from '../account/use-action.js';
import type { Schemas } from '../api.js';
import { api } from '../client.js';
import { Avatar } from '../components/author.js';
import { useTexts } from '../components/context.js';
import { FileButton } from '../components/file-button.js';
import { SettingsForm, useAccount } from './parts.js';

type Changes = Schemas['UpdateProfileInput'];
const LANGUAGES: Record<string, string> = { en: 'English', de: 'Deutsch' };
const MAX_LINKS = 10;
/** maximum length of each line */
const LINES = { fullName: 64, username: 16, headline: 80, location: 60, interests: 300 };
const REQUIRED = ['fullName', 'username'];

export function Profile() {
  const texts = useTexts().settings;
  const { fields, hints, links, linksHint, language, personalised } = texts.profile;
  const { account, update } = useAccount();
  const [count, setCount] = useState(account.links.length);
  const values = { ...account, interests: account.interests.join(', ') };
  const current = account.settings.language;
  const line = (name: keyof typeof LINES) => (
    <Field
      {...{ name, label: fields[name], hint: hints[name], value: values[name], maxLength: LINES[name] }}
      isOptional={!REQUIRED.includes(name)}
      dir={name === 'username' ? 'ltr' : 'auto'}
    />
  );
  return (
    <>
      <ProfileImage />
      <SettingsForm
        action={texts.save}
        message={texts.saved}
        send={(entered) => api.PATCH('/v1/users/me', { body: changesOf(entered) })}
        done={(own) => {
          update(own);
          setCount(own.links.length);
        }}
      >
        {line('fullName')}
        {line('username')}
        {line('headline')}
        <TextField name="bio" label={fields.bio} isOptional rows={5} value={account.bio} maxLength={500} />
        {line('location')}
        {line('interests')}
        <fieldset>
          <legend>{links.legend}</legend>
          {Array.from({ length: count }, (_, at) => {
            const input = (part: 'title' | 'url') => ({
              ...{ name: `links.${at}.${part}`, label: links[part], value: account.links[at]?.[part] },
              isOptional: true,
            });
            return (
              <div key={at} class="pair">
                <Field {...input('title')} dir="auto" maxLength={40} />
                <Field {...input('url')} type="url" maxLength={2_048} />
              </div>
            );
          })}
          {count > 0 && <p class="small">{linksHint}</p>}
          {count < MAX_LINKS && (
            <button type="button" class="tool" onClick={() => setCount(count + 1)}>
              {links.add}
            </button>
          )}
        </fieldset>
        <SelectField name="language" label={language} value={current} options={{ [current]: current, ...LANGUAGES }} />
        <CheckField name="personalised" label={personalised} isOptional isChecked={account.settings.personalised} />
      </SettingsForm>
    </>
  );
}

function changesOf({ interests = '', language, personalised, ...values }: Record<string, string>): Changes {
  const links = [];
  for (let at = 0; `links.${at}.url` in values; at++)
    links.push({ title: values[`links.${at}.title`]!, url: values[`links.${at}.url`]! });
  return {
    ...(Object.fromEntries(Object.entries(values).filter(([name]) => !name.includes('.'))) as Changes),
    interests: interests.split(/[\s,#]+/).filter((one) => one !== ''),
    links: links.filter(({ title, url }) => title !== '' || url !== ''),
    settings: { language: language!, personalised: personalised !== undefined },
  };
}

/** Is saved when it is chosen. */
function ProfileImage() {
  const { profile, remove } = useTexts().settings;
  const { account, update } = useAccount();
  const { run, isBusy, failure } = useAction();
  const save = (profilePictureMediaId: string | null) => api.PATCH('/v1/users/me', { body: { profilePictureMediaId } });
  const upload = async (file: File) => {
    const uploaded = await api.upload(file);
    return uploaded.data === undefined ? uploaded : save(uploaded.data.id);
  };
  const change = (send: () => ReturnType<typeof upload>) => run(send, (own) => update(own as typeof account));
  return (
    <div class="profile-image">
      <Avatar author={account} size={96} />
      <FileButton label={profile.chooseImage} onFiles={([file]) => file && void change(() => upload(file))} />
      {account.profilePicture !== null && (
        <button
          type="button"
          class="tool"
          aria-label={`${remove}: ${profile.image}`}
          onClick={() => void change(() => save(null))}
        >
          {remove}
        </button>
      )}
      {isBusy && <span role="status">…</span>}
      <p role="alert" class="failure">
        {failure?.text}
      </p>
    </div>
  );
}
