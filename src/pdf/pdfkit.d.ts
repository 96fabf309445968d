/** The part of the library that is used: its types are a package of their own, which follows at a distance. */
declare module 'pdfkit' {
  interface TextOptions {
    readonly width?: number;
    readonly align?: 'left' | 'right' | 'center';
    readonly lineBreak?: boolean;
  }

  export default class PDFDocument {
    constructor(options: {
      readonly size: string;
      readonly margins: {
        readonly top: number;
        readonly bottom: number;
        readonly left: number;
        readonly right: number;
      };
      readonly lang: string;
      readonly displayTitle: boolean;
      readonly bufferPages: boolean;
      readonly font: string;
      readonly info: {
        readonly Title: string;
        readonly Producer: string;
        readonly Creator: string;
        readonly CreationDate: Date;
      };
    });
    y: number;
    readonly page: { readonly width: number; readonly height: number; margins: { bottom: number } };
    on(event: 'data', listener: (chunk: Buffer) => void): this;
    on(event: 'end', listener: () => void): this;
    registerFont(name: string, path: string): this;
    font(name: string): this;
    fontSize(size: number): this;
    fillColor(color: string): this;
    strokeColor(color: string): this;
    lineWidth(width: number): this;
    moveTo(x: number, y: number): this;
    lineTo(x: number, y: number): this;
    stroke(): this;
    text(text: string, x: number, y: number, options: TextOptions): this;
    heightOfString(text: string, options: TextOptions): number;
    addPage(): this;
    bufferedPageRange(): { readonly start: number; readonly count: number };
    switchToPage(page: number): this;
    end(): void;
  }
}
