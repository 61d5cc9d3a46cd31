import { useApp } from '../support/app.js';

const API = 'https://canvas.example';

/** Uses no browser; docs.spec.ts tests the page. */
describe('the documentation of a server', () => {
  const app = useApp({ env: { HTTP_DOCS: 'true', HTTP_PUBLIC_URL: API } });

  it('names its public address, which programs call that import /openapi.json', async () => {
    const { status, body } = await app.client.get('/openapi.json');

    expect([status, body.servers.map(({ url }: { url: string }) => url)]).toEqual([200, [API]]);
  });

  it.each(['/docs', '/docs/sign-in.js', '/docs/swagger-ui-bundle.js'])(
    'lets %s run only scripts of this server, in no frame',
    async (path) => {
      const { status, headers } = await app.client.get(path);

      const rules = headers.get('content-security-policy')?.split('; ');
      expect([status, rules]).toEqual([
        200,
        expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]),
      ]);
    },
  );
});
