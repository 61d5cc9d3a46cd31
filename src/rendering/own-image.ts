import type { Properties } from 'hast';
import { imageAt, type ResponsiveImage, toImageJson } from '../media/responsive-image.js';

const BY_ID = /^media:([0-9a-f]{24})$/;
const PIXELS = /^(\d+)(?:px)?$/;
const PERCENT = /^(\d+)%$/;

/** Returns the image of an address in a text: `media:<id>`, or the URL of a file on any host. */
export function ownImageAt(address: string, images: ReadonlyMap<string, ResponsiveImage>): ResponsiveImage | undefined {
  const id = BY_ID.exec(address)?.[1];
  return id === undefined ? imageAt(address.split(/[?#]/, 1)[0], images) : images.get(id);
}

/**
 * Sets the current URL, sizes and placeholder of an image that the author has uploaded. Rejects ids of other images.
 * @returns whether the image belongs to the author
 */
export function showOwnImage(properties: Properties, images: ReadonlyMap<string, ResponsiveImage>): boolean {
  const src = String(properties['src'] ?? '');
  const image = ownImageAt(src, images);
  if (image === undefined) {
    if (src.startsWith('media:')) delete properties['src'];
    return false;
  }
  const { url, width, height, variants, placeholder } = toImageJson(image);
  const sizes = sizesOf(properties, image);
  Object.assign(properties, { src: url, dataPlaceholder: placeholder });
  const largest = variants.at(-1);
  if (largest !== undefined) {
    const all = largest.width < width ? [...variants, { url, width }] : variants;
    properties['srcSet'] = all.map((one) => `${one.url} ${one.width}w`).join(', ');
    properties['sizes'] = sizes;
  }
  keepProportion(properties, width / height, image);
  return true;
}

/** Returns the displayed width: the author's, or else the width of the page. */
function sizesOf({ width }: Properties, image: ResponsiveImage): string {
  const pixels = PIXELS.exec(String(width ?? image.width))?.[1];
  const percent = PERCENT.exec(String(width))?.[1];
  return percent === undefined ? `auto, (max-width: ${pixels}px) 100vw, ${pixels}px` : `auto, ${percent}vw`;
}

/** Sets both dimensions, so that browsers reserve the space of the image before it loads. */
function keepProportion(properties: Properties, ratio: number, { width, height }: ResponsiveImage): void {
  const given = { width: properties['width'], height: properties['height'] };
  if (given.width === undefined && given.height === undefined) Object.assign(properties, { width, height });
  const [wide, high] = [PIXELS.exec(String(given.width))?.[1], PIXELS.exec(String(given.height))?.[1]];
  if (wide !== undefined && given.height === undefined) properties['height'] = Math.round(Number(wide) / ratio);
  if (high !== undefined && given.width === undefined) properties['width'] = Math.round(Number(high) * ratio);
}
