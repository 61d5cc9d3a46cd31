/** Signs a browser in to the site of a server with demo data, and leaves the page open. */
export async function signInToDemo(context, base, login) {
  const page = await context.newPage();
  await page.goto(`${base}/following`);
  await page.getByLabel('Username or e-mail address').fill(login);
  await page.getByLabel('Password').fill('opencanvas-demo-2025');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('.menu').waitFor();
  return page;
}
