import { Injectable } from '@nestjs/common';

/** The filter of a viewer: a new object after each change, and null if lists omit nothing. */
type Filter = object | null;
type Source = {
  find: (viewerId: string) => Filter | undefined;
  load: (viewerId: string) => Promise<Filter>;
};

/** Finds out whether lists omit content for a viewer, who then gets no shared response. BlocksModule registers its source here. */
@Injectable()
export class ListFilterPort {
  private source: Source | undefined;

  register(source: Source): void {
    this.source = source;
  }

  /** Looks into a map. Returns undefined if the filter of the viewer is not loaded. */
  find(viewerId: string): Filter | undefined {
    return this.source === undefined ? null : this.source.find(viewerId);
  }

  /** Loads the filter of a viewer. Callers look with `find` first. */
  async load(viewerId: string): Promise<Filter> {
    return this.source === undefined ? null : this.source.load(viewerId);
  }
}
