// Search works in a worker, and browsers start no worker from a file on disk. There, a hidden frame stands in for it.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      const inside = this.frame.contentWindow;
      const page = inside.document;
      page.open();
      page.write("<!doctype html><body></body>");
      page.close();
      // what a worker posts goes to the page that made it; structuredClone copies as a true worker does
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data: structuredClone(data) }));
      inside.importScripts = async (...scripts) => { for (const script of scripts) await this.load(script); };
      this.ready = this.load(url);
    }
    load(url) {
      return new Promise((resolve, reject) => {
        const page = this.frame.contentWindow.document;
        const script = page.createElement("script");
        script.src = url;
        script.onload = resolve;
        script.onerror = () => reject(new Error(`cannot load ${url}`));
        page.body.appendChild(script);
      });
    }
    postMessage(data) {
      const inside = this.frame.contentWindow;
      this.ready.then(() => inside.dispatchEvent(new inside.MessageEvent("message", { data: structuredClone(data) })));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
