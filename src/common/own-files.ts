/** The stored prefix of this server's file URLs, which responses replace with the public URL. */
export const FILES_PATH = '/v1/media/files';

const ID = '[0-9a-f]{24}';
const REST = '[0-9a-f]{16}(?:-[1-9][0-9]{2,3})?\\.(?:jpg|png|webp)';
/** The name of a file: `<id>-<secret>.jpg`, or `<id>-<secret>-640.webp` for a smaller variant. */
export const FILE_KEY = new RegExp(`^${ID}-${REST}$`);
/** Matches from the hyphen, because a text has few hyphens but many hex digits. */
export const FILE_KEY_ANYWHERE = new RegExp(`-(?<=(${ID})-)${REST}`, 'g');

/** A setting of the process, because the functions that write cards have no configuration. */
let files = { url: FILES_PATH, json: Buffer.from(FILES_PATH) };

export function setFilesUrl(url: string): void {
  files = { url, json: Buffer.from(JSON.stringify(url).slice(1, -1)) };
}

export function filesUrl(): string {
  return files.url;
}

/** Returns the same URL as a part of a JSON string. */
export function filesUrlJson(): Buffer {
  return files.json;
}

/** The inverse of `publicUrl`. */
export function storedUrl<Address extends string | null | undefined>(address: Address): Address | string {
  return address?.startsWith(`${files.url}/`) ? FILES_PATH + address.slice(files.url.length) : address;
}

/** Converts a stored address to the address for clients. */
export function publicUrl<Address extends string | null>(address: Address): Address | string {
  return address?.startsWith(`${FILES_PATH}/`) ? files.url + address.slice(FILES_PATH.length) : address;
}
