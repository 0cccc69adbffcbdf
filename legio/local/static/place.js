// Where the reader of a scrolling list is: at its end, which is kept in sight, or further up, where nothing moves.

const NEAR = 48; // so near to the end, in px, is at the end
const READ = "article:not([hidden], .draft)";

export class Place {
  // `moved` hears that the reader went somewhere.
  constructor(node, moved) {
    this.node = node;
    this.pinned = true;
    this.anchor = null;
    this.sized = "";
    this.observer = new ResizeObserver(() => this.keep());
    this.observer.observe(node);
    node.addEventListener("load", () => this.keep(), true);
    node.addEventListener("scroll", () => {
      this.scrolled();
      moved();
    });
  }

  close() {
    this.observer.disconnect();
  }

  pin() {
    this.pinned = true;
    this.keep();
  }

  // After any change: the end is in sight if it was, and else what was at the top of what is seen.
  keep() {
    const held = this.anchor && document.getElementById(this.anchor.id);
    if (this.pinned) this.node.scrollTop = this.node.scrollHeight;
    else if (held && !held.hidden) this.node.scrollTop += this.offset(held) - this.anchor.offset;
    this.sized = this.extent();
  }

  // Only the reader's own scrolling lets go of the end: what grows above it later, such as a picture, does not,
  // and neither does a window of another size, such as a phone that was turned.
  scrolled() {
    if (this.sized === this.extent()) this.settle();
    this.sized = this.extent();
  }

  settle() {
    const { node } = this;
    this.pinned = node.scrollHeight - node.scrollTop - node.clientHeight < NEAR;
    if (this.pinned) return;
    const { top } = node.getBoundingClientRect();
    const first = [...node.querySelectorAll(READ)].find((each) => each.getBoundingClientRect().bottom > top);
    this.anchor = first ? { id: first.id, offset: this.offset(first) } : null;
  }

  extent() {
    return `${this.node.scrollHeight} ${this.node.clientHeight}`;
  }

  offset(node) {
    return node.getBoundingClientRect().top - this.node.getBoundingClientRect().top;
  }
}
