// What came while nobody looked, by topic; and above which message the line stands that says so.

export class Unseen {
  constructor() {
    this.ids = new Map();
    this.marks = new Map();
  }

  clear() {
    this.ids.clear();
    this.marks.clear();
  }

  // The line stays where it is until something is missed again, or one has answered.
  missed(topic, id) {
    const ids = this.ids.get(topic) ?? new Set();
    if (!ids.size) this.marks.set(topic, id);
    this.ids.set(topic, ids.add(id));
  }

  looked(topic) {
    this.ids.delete(topic);
  }

  answered(topic) {
    this.marks.delete(topic);
  }

  forget(gone) {
    for (const ids of this.ids.values()) gone.forEach((id) => ids.delete(id));
    for (const [topic, id] of this.marks) {
      if (gone.includes(id)) this.marks.set(topic, [...this.ids.get(topic) ?? []][0]);
    }
  }

  // How many there are in a topic, or in all.
  count(topic) {
    if (topic !== undefined) return this.ids.get(topic)?.size ?? 0;
    return [...this.ids.values()].reduce((sum, ids) => sum + ids.size, 0);
  }
}
