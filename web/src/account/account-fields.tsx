import { useTexts } from '../components/context.js';
import { Field } from './request-form.js';

const PASSWORD = { minLength: 8, maxLength: 128 };

/** A password that the account does not have yet. */
export function NewPasswordField({ name = 'password', label }: { name?: string; label: string }) {
  const { passwordHint } = useTexts().account;
  const hint = passwordHint(PASSWORD.minLength);
  return <Field {...{ name, label, hint }} {...PASSWORD} type="password" autocomplete="new-password" />;
}

/** What an account needs from its beginning. */
export function AccountFields() {
  const { account, signIn } = useTexts();
  const { fullName, username, usernameHint, emailHint } = signIn.registration;
  return (
    <>
      <Field name="fullName" label={fullName} autocomplete="name" dir="auto" maxLength={64} />
      <Field
        name="username"
        label={username}
        hint={usernameHint}
        autocomplete="username"
        minLength={4}
        maxLength={16}
      />
      <Field name="email" label={account.email} hint={emailHint} type="email" autocomplete="email" maxLength={254} />
      <NewPasswordField label={account.password} />
    </>
  );
}
