"""Identity records: imported, shown, counted, exported, erased, encrypted anew."""
