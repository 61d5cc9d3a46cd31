import { useState } from 'preact/hooks';
import { NewPasswordField } from '../account/account-fields.js';
import { Action } from '../account/action.js';
import { Field } from '../account/request-form.js';
import { api } from '../client.js';
import { useTexts } from '../components/context.js';
import { PasswordField, proofOf, SettingsForm, useAccount } from './parts.js';

export function EmailAddress() {
  const texts = useTexts().settings.email;
  const { email, isEmailVerified } = useAccount().account;
  const [isSent, setSent] = useState(false);
  return (
    <>
      <p>
        {texts.current} <strong dir="ltr">{email}</strong>. {isEmailVerified ? texts.confirmed : texts.notConfirmed}
      </p>
      {!isEmailVerified && (
        <div class="actions">
          <Action
            label={texts.resend}
            send={() => api.POST('/v1/auth/email-verification', {})}
            done={() => setSent(true)}
          />
          {isSent && <span role="status">{texts.resent}</span>}
        </div>
      )}
      <SettingsForm
        action={texts.change}
        message={texts.done}
        send={({ email: next = '', ...values }) =>
          api.PUT('/v1/auth/email', { body: { email: next, ...proofOf(values) } })
        }
      >
        <Field
          name="email"
          label={texts.newEmail}
          hint={texts.hint}
          type="email"
          autocomplete="email"
          maxLength={254}
        />
        <PasswordField />
      </SettingsForm>
    </>
  );
}

export function Password() {
  const { account: own, settings } = useTexts();
  const texts = settings.password;
  const { update } = useAccount();
  return (
    <SettingsForm
      action={texts.change}
      message={texts.done}
      send={({ newPassword = '', ...current }) => api.PUT('/v1/auth/password', { body: { newPassword, ...current } })}
      done={() => update({ hasPassword: true })}
    >
      <p>{texts.hint}</p>
      <PasswordField name="currentPassword" />
      <NewPasswordField name="newPassword" label={own.newPassword} />
    </SettingsForm>
  );
}
