/** `model`: the text is the catalogue's for that model. `custom`: the user or a program chose it. */
export interface BaseInstructions {
  readonly text: string;
  readonly provenance: { readonly type: 'model'; readonly model: string } | { readonly type: 'custom' };
}
