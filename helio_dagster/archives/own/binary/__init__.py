"""Binary files of one's own: netCDF, HDF5, FITS tables, VOTables, workbooks. They are decoded only in a worker process."""
