/** The styles of the sign-in form above Swagger UI. The form adds the access token to all requests. */
export const SIGN_IN_CSS = `
#sign-in { max-width: 1460px; margin: 0 auto; padding: 12px 20px; font: 14px sans-serif; display: flex; gap: 8px; align-items: center; flex-wrap: wrap }
#sign-in input { padding: 6px 8px; border: 1px solid #aaa; border-radius: 4px }
#sign-in button { padding: 6px 16px; border: 2px solid #49cc90; border-radius: 4px; background: #fff; font-weight: 700; cursor: pointer }
.swagger-ui .topbar { display: none }
`;

/** Returns the script of the form. @param account initial values */
export function signInScript(account: { login: string; password: string } | null): string {
  return `const account = ${JSON.stringify(account)};\n${SCRIPT}`;
}

const SCRIPT = String.raw`
const ask = async (path, body) => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail);
  return answer;
};
const keep = ({ accessToken, refreshToken, expiresIn }) => {
  const schema = { type: 'http', scheme: 'bearer' };
  window.ui.authActions.authorizeWithPersistOption({ bearer: { name: 'bearer', schema, value: accessToken } });
  setTimeout(() => ask('/v1/auth/refresh', { refreshToken }).then(keep, () => undefined), expiresIn * 800);
};
addEventListener('load', () => {
  const form = document.createElement('form');
  form.id = 'sign-in';
  form.innerHTML =
    '<label for="sign-in-login">Sign in as</label>' +
    '<input id="sign-in-login" name="login" autocomplete="username" placeholder="username or e-mail" required>' +
    '<input name="password" type="password" aria-label="password" autocomplete="current-password" placeholder="password" required>' +
    '<button>Sign in</button><output></output>';
  if (account !== null) Object.entries(account).forEach(([name, value]) => (form.elements[name].value = value));
  const say = (text) => (form.querySelector('output').textContent = text);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const [login, password] = [form.elements.login.value, form.elements.password.value];
    ask('/v1/auth/login', { login, password }).then((tokens) => {
      keep(tokens);
      say('Signed in as ' + tokens.user.username + '. Every request below carries the token.');
    }, (error) => say(error.message));
  });
  document.getElementById('swagger-ui').before(form);
});
`;
