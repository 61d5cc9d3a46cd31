/** The stored prefix of the URLs of this server's files; responses have the public URL in its place. */
export const FILES_PATH = '/v1/media/files';

const ID = '[0-9a-f]{24}';
const REST = '[0-9a-f]{16}(?:-[1-9][0-9]{2,3})?\\.(?:jpg|png|webp)';
/** The name of a file: `<id>-<secret>.jpg`, or `<id>-<secret>-640.webp` for a smaller one. */
export const FILE_KEY = new RegExp(`^${ID}-${REST}$`);
/** Begins with the hyphen: a text has few of them, and hex digits everywhere. */
export const FILE_KEY_ANYWHERE = new RegExp(`-(?<=(${ID})-)${REST}`, 'g');

/** A setting of the process, because the functions that write cards know no configuration. */
let files = { url: FILES_PATH, json: Buffer.from(FILES_PATH) };

export function setFilesUrl(url: string): void {
  files = { url, json: Buffer.from(JSON.stringify(url).slice(1, -1)) };
}

export function filesUrl(): string {
  return files.url;
}

/** The same as a piece of JSON. */
export function filesUrlJson(): Buffer {
  return files.json;
}

/** The inverse of `publicUrl`. */
export function storedUrl<Address extends string | null | undefined>(address: Address): Address | string {
  return address?.startsWith(`${files.url}/`) ? FILES_PATH + address.slice(files.url.length) : address;
}

/** An address as clients get it. */
export function publicUrl<Address extends string | null>(address: Address): Address | string {
  return address?.startsWith(`${FILES_PATH}/`) ? files.url + address.slice(FILES_PATH.length) : address;
}
