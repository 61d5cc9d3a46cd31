import { useState } from 'preact/hooks';
import type { components } from '../../../sdk/src/schema.js';
import { Field, SelectField, TextField } from '../account/request-form.js';
import { useAction } from '../account/use-action.js';
import { api } from '../client.js';
import { Avatar } from '../components/author.js';
import { useTexts } from '../components/context.js';
import { FileButton } from '../components/file-button.js';
import { SettingsForm, useAccount } from './current-account.js';

const LANGUAGES: Record<string, string> = { en: 'English', de: 'Deutsch' };
const MAX_LINKS = 10;

export function Profile() {
  const texts = useTexts().settings;
  const { profile } = texts;
  const { account, update } = useAccount();
  const [count, setCount] = useState(account.links.length);
  const { language } = account.settings;
  return (
    <>
      <Picture />
      <SettingsForm
        action={texts.save}
        message={texts.saved}
        send={(values) => api.PATCH('/v1/users/me', { body: profileOf(values) })}
        done={(own) => {
          update(own);
          setCount(own.links.length);
        }}
      >
        <Field name="fullName" label={profile.fullName} dir="auto" value={account.fullName} maxLength={64} />
        <Field
          name="username"
          label={profile.username}
          hint={profile.usernameHint}
          value={account.username}
          maxLength={16}
        />
        <Field name="headline" label={profile.headline} isOptional dir="auto" value={account.headline} maxLength={80} />
        <TextField name="bio" label={profile.bio} isOptional rows={5} value={account.bio} maxLength={500} />
        <Field name="location" label={profile.location} isOptional dir="auto" value={account.location} maxLength={60} />
        <Field
          name="interests"
          label={profile.interests}
          hint={profile.interestsHint}
          isOptional
          dir="auto"
          value={account.interests.join(', ')}
          maxLength={300}
        />
        <fieldset>
          <legend>{profile.links}</legend>
          {Array.from({ length: count }, (_, at) => (
            <div key={at} class="pair">
              <Field
                name={`links.${at}.title`}
                label={profile.linkTitle}
                isOptional
                dir="auto"
                value={account.links[at]?.title}
                maxLength={40}
              />
              <Field
                name={`links.${at}.url`}
                label={profile.linkUrl}
                type="url"
                isOptional
                value={account.links[at]?.url}
                maxLength={2_048}
              />
            </div>
          ))}
          {count > 0 && <p class="small">{profile.linksHint}</p>}
          {count < MAX_LINKS && (
            <button type="button" class="tool" onClick={() => setCount(count + 1)}>
              {profile.addLink}
            </button>
          )}
        </fieldset>
        <SelectField
          name="language"
          label={profile.language}
          value={language}
          options={language in LANGUAGES ? LANGUAGES : { ...LANGUAGES, [language]: language }}
        />
      </SettingsForm>
    </>
  );
}

function profileOf(values: Record<string, string>): components['schemas']['UpdateProfileInput'] {
  const { fullName, username, headline, bio, location, interests = '', language } = values;
  const links = [];
  for (let at = 0; `links.${at}.url` in values; at++)
    links.push({ title: values[`links.${at}.title`]!, url: values[`links.${at}.url`]! });
  return {
    ...{ fullName: fullName!, username: username!, headline: headline!, bio: bio!, location: location! },
    interests: interests.split(/[\s,#]+/).filter((one) => one !== ''),
    links: links.filter(({ title, url }) => title !== '' || url !== ''),
    settings: { language: language! },
  };
}

/** Is saved when it is chosen. */
function Picture() {
  const { profile, remove } = useTexts().settings;
  const { account, update } = useAccount();
  const { run, isBusy, failure } = useAction();
  const save = (profilePictureMediaId: string | null) => api.PATCH('/v1/users/me', { body: { profilePictureMediaId } });
  const upload = async (file: File) => {
    const uploaded = await api.upload(file);
    return uploaded.data === undefined ? uploaded : save(uploaded.data.id);
  };
  return (
    <div class="picture">
      <Avatar author={account} size={96} />
      <div class="actions">
        <FileButton
          label={profile.choosePicture}
          onFiles={([file]) =>
            file &&
            void run(
              () => upload(file),
              (own) => update(own!),
            )
          }
        />
        {account.profilePicture !== null && (
          <button
            type="button"
            class="tool"
            aria-label={`${remove}: ${profile.picture}`}
            onClick={() =>
              void run(
                () => save(null),
                (own) => update(own!),
              )
            }
          >
            {remove}
          </button>
        )}
        {isBusy && <span role="status">…</span>}
      </div>
      <p role="alert" class="failure">
        {failure?.text}
      </p>
    </div>
  );
}
