/** Paths of the built files by entry. The build replaces the name (scripts/lib/site.mjs). */
declare const ASSETS: { client: string; public: string; site: string; formulas: string; icon: string };

export const assets = ASSETS;
