declare const process: { readonly env: any };
